#include "lessons/sourced.h"

#include <toml++/toml.h>

#include <map>
#include <stdexcept>

#include "lessons/data_files.h"
#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

using Numbers = std::map<std::string, Value, std::less<>>;

// A table's numbers, and those of the tables in it. `source` holds for all of them that have none of their
// own.
void take_table(const toml::table& table, const std::string& prefix, std::string source,
                const Origins& origins, Numbers& numbers) {
  if (const auto own = table["source"].value<std::string>()) source = *own;
  for (const auto& [key, node] : table) {
    const std::string name = prefix + "." + std::string(key.str());
    if (const toml::table* inner = node.as_table()) take_table(*inner, name, source, origins, numbers);
    if (!node.is_number()) continue;
    if (source.empty()) throw std::logic_error("the program's data: " + name + " has no source");
    numbers[name] = {*node.value<double>(), origins, {source}};
  }
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const auto comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

// A table of gpu/: names are made of the columns that say what was run; the comments above are its source.
void take_csv(std::string_view text, const std::string& prefix, const std::string& file, Numbers& numbers) {
  std::string source = file;
  std::vector<std::string_view> head;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.starts_with("# measured")) source += ": " + std::string(line.substr(2));
    if (line.empty() || line[0] == '#') continue;
    const auto cells = cells_of(line);
    if (head.empty()) {
      head = cells;
      continue;
    }
    std::map<std::string_view, std::string> row;
    for (std::size_t n = 0; n < std::min(head.size(), cells.size()); ++n) row[head[n]] = cells[n];
    std::string name = prefix + "." + row["kernel"] + "." + row["dtype"] + ".b" + row["batch"] + ".h" +
                       row["heads"] + ".n" + row["n"] + ".d" + row["d"] + "." + row["mask"];
    if (row["n"] != row["n_kv"] || row["heads"] != row["kv_heads"]) continue;
    if (!row["cache"].empty()) name += "." + row["cache"];
    for (const auto& [column, cell] : row) {
      if (const auto number = parse_number<double>(cell))
        numbers[name + "." + std::string(column)] = {*number, from_measurement, {source}};
    }
  }
}

const Numbers& numbers() {
  static const Numbers all = [] {
    Numbers numbers;
    for (const auto& [path, bytes] : lesson_data::files()) {
      if (path.ends_with("/published.toml"))
        take_table(toml::parse(bytes), "published", "", from_publication, numbers);
      if (path.ends_with("/measured.toml"))
        take_table(toml::parse(bytes), "measured", "", from_measurement, numbers);
      if (path.ends_with("measured_counters.csv"))
        take_csv(bytes, "measured.counters", std::string(path), numbers);
      if (path.ends_with("measured_bench.csv")) take_csv(bytes, "measured.bench", std::string(path), numbers);
    }
    return numbers;
  }();
  return all;
}

}  // namespace

Value sourced(const Quantity& quantity) {
  const std::string name = quantity.text();
  const auto found = numbers().find(name);
  if (found != numbers().end() && !quantity.indexed) return found->second;
  std::vector<std::string_view> known;
  for (const auto& [other, value] : numbers()) {
    if (other.size() < 64) known.push_back(other);
  }
  const std::string guess = nearest(name, known);
  throw RequestError("there is no number '" + shown(name) + "'" +
                     (guess.empty() ? "" : "; did you mean '" + guess + "'?") +
                     " Numbers and their sources stand in lessons/data");
}

std::vector<std::pair<std::string, Value>> all_sourced() { return {numbers().begin(), numbers().end()}; }

}  // namespace tilewalk
