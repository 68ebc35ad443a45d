#include "cli/arch_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "cli/console.h"
#include "cli/text_file.h"
#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

// Reads the keys of one table, and at the end refuses those that nobody asked for.
class TableReader {
 public:
  TableReader(const toml::table& table, const std::string& file) : table_(table), file_(file) {}

  std::string text(std::string_view key) { return need<std::string>(key, "a text in quotes"); }
  std::string text(std::string_view key, const std::string& otherwise) {
    return table_.contains(key) ? text(key) : otherwise;
  }
  double number(std::string_view key) {
    const double value = need<double>(key, "a number");
    if (!std::isfinite(value)) refuse(*table_.get(key), key, "must be a finite number");
    return value;
  }
  double number(std::string_view key, double otherwise) {
    return table_.contains(key) ? number(key) : otherwise;
  }
  std::int64_t whole(std::string_view key) { return need<std::int64_t>(key, "a whole number"); }
  bool truth(std::string_view key) { return table_.contains(key) && need<bool>(key, "true or false"); }

  const toml::node& node(std::string_view key) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
    if (const toml::node* found = table_.get(key)) return *found;
    refuse(table_, key, "is missing; " + remedy_for(key));
  }
  std::vector<TableReader> tables(std::string_view key) {
    std::vector<TableReader> readers;
    const toml::array* array = node(key).as_array();
    if (!array || array->empty())
      refuse(node(key), key, "must be written as [[" + std::string(key) + "]] tables");
    for (const toml::node& entry : *array) {
      if (!entry.is_table()) refuse(entry, key, "must be written as [[" + std::string(key) + "]] tables");
      readers.emplace_back(*entry.as_table(), file_);
    }
    return readers;
  }

  void end() const {
    for (const auto& [key, value] : table_) {
      if (std::find(known_.begin(), known_.end(), key.str()) == known_.end()) {
        refuse_at(key.source().begin.line, unknown_name("key", key.str(), known_));
      }
    }
  }
  [[noreturn]] void refuse(const toml::node& where, std::string_view key, const std::string& why) const {
    refuse_at(where.source().begin.line, std::string(key) + " " + why);
  }

 private:
  // The key may be there, misspelt.
  std::string remedy_for(std::string_view missing) const {
    std::vector<std::string_view> keys;
    for (const auto& [key, value] : table_) keys.push_back(key.str());
    const std::string guess = nearest(missing, keys);
    if (!guess.empty() && std::find(known_.begin(), known_.end(), guess) == known_.end()) {
      return "is '" + guess + "' meant for it?";
    }
    return "add it (example_arch.toml shows every key)";
  }

  template <class Value>
  Value need(std::string_view key, const char* what) {
    if (const auto value = node(key).value<Value>(); value && fits<Value>(node(key))) return *value;
    refuse(node(key), key, std::string("must be ") + what);
  }
  // toml++ turns whole numbers into doubles for us, and that is welcome; other conversions are not.
  template <class Value>
  static bool fits(const toml::node& node) {
    if (std::is_same_v<Value, bool>) return node.is_boolean();
    if (std::is_same_v<Value, std::string>) return node.is_string();
    return std::is_same_v<Value, double> ? node.is_number() : node.is_integer();
  }
  [[noreturn]] void refuse_at(toml::source_index line, const std::string& why) const {
    throw RequestError("--arch " + file_ + ", line " + std::to_string(line) + ": " + why);
  }

  const toml::table& table_;
  std::string file_;
  std::vector<std::string_view> known_;
};

Scope parse_scope(TableReader& reader) {
  const std::string scope = reader.text("scope");
  if (scope == "cta") return Scope::cta;
  if (scope == "sm") return Scope::sm;
  if (scope == "device") return Scope::device;
  reader.refuse(reader.node("scope"), "scope", "must be \"cta\", \"sm\" or \"device\"");
}

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr Unit units[] = {{"B", 1},    {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
                          {"kB", 1e3}, {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12}};

// "163 KiB" in bytes.
std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto value = parse_number<double>(take_word(text));
  const auto unit = take_word(text);
  for (const Unit& known : units) {
    if (!value || known.name != unit || !take_word(text).empty()) continue;
    const double bytes = *value * known.bytes;
    if (bytes >= 0 && bytes <= 0x1p60) return static_cast<std::uint64_t>(bytes);
  }
  return std::nullopt;
}

std::uint64_t parse_capacity(TableReader& reader) {
  const toml::node& node = reader.node("capacity");
  const auto bytes = node.value<std::int64_t>();
  if (node.is_integer() && *bytes >= 0) return static_cast<std::uint64_t>(*bytes);
  if (node.is_string()) {
    if (const auto size = parse_size(*node.value<std::string>())) return *size;
  }
  reader.refuse(node, "capacity",
                "must be bytes or a size in quotes, e.g. 166912, \"163 KiB\" or \"40 GB\" (0: not limited)");
}

Level parse_level(TableReader& reader) {
  Level level{reader.text("name"), parse_scope(reader), parse_capacity(reader)};
  reader.end();
  return level;
}

double parse_rate(TableReader& reader, std::string_view key, double unit) {
  const double value = reader.number(key, 0);
  if (value < 0) reader.refuse(reader.node(key), key, "must be at least 0 (0: not modelled)");
  return value * unit;
}

Link parse_link(TableReader& reader, const Arch& arch) {
  Link link{reader.text("from"), reader.text("to"), parse_rate(reader, "bandwidth_gbs", 1e9),
            parse_rate(reader, "latency_ns", 1e-9)};
  for (const auto& [key, end] : {std::pair{"from", link.from}, {"to", link.to}}) {
    const auto has_name = [&name = end](const Level& level) { return level.name == name; };
    if (std::none_of(arch.levels.begin(), arch.levels.end(), has_name)) {
      reader.refuse(reader.node(key), key, "names no level; give it a [[levels]] table");
    }
  }
  reader.end();
  return link;
}

// Names appear in tables, traces and JSON.
void check_name(TableReader& reader, std::string_view key, const std::string& name) {
  const bool plain =
      !name.empty() && name.size() <= 40 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '-' || c == '_' || c == '.';
      });
  if (!plain) reader.refuse(reader.node(key), key, "must be 1 to 40 letters, digits, '-', '_' or '.'");
}

Arch read_fields(TableReader& reader, const std::string& file) {
  Arch arch;
  arch.name = reader.text("name");
  check_name(reader, "name", arch.name);
  arch.title = reader.text("title", arch.name);
  arch.source = reader.text("source", file);
  const std::int64_t sms = reader.whole("sms");
  if (sms < 1 || sms > 1'000'000) reader.refuse(reader.node("sms"), "sms", "must be from 1 to 1000000");
  arch.sms = static_cast<int>(sms);
  arch.clock = reader.number("clock_ghz") * 1e9;
  arch.matmul16 = reader.number("matmul16_tflops") * 1e12;
  arch.fp32 = reader.number("fp32_tflops") * 1e12;
  arch.exp_per_clock = reader.number("exp_per_clock", 16);
  arch.sram_in_elements = reader.truth("sram_in_elements");
  for (TableReader& level : reader.tables("levels")) {
    arch.levels.push_back(parse_level(level));
    check_name(level, "name", arch.levels.back().name);
  }
  for (TableReader& link : reader.tables("links")) arch.links.push_back(parse_link(link, arch));
  reader.end();
  return arch;
}

}  // namespace

Arch parse_arch(std::string_view text, const std::string& file) {
  try {
    const toml::table table = toml::parse(text);
    TableReader reader(table, file);
    Arch arch = read_fields(reader, file);
    validate(arch);
    return arch;
  } catch (const toml::parse_error& error) {
    throw RequestError("--arch " + file + ", line " + std::to_string(error.source().begin.line) +
                       ": is not TOML: " + std::string(error.description()));
  }
}

Arch read_arch_file(const std::string& path) {
  constexpr std::size_t most = 1 << 20;
  return parse_arch(read_text_file(path, "--arch " + path, most), path);
}

}  // namespace tilewalk
