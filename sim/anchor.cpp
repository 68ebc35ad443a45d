#include "sim/anchor.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

constexpr const char *one_event = "e.g. 'load K 2 #1'", *one_tile = "e.g. 'tile 2 1'";

struct Found {
  std::uint64_t position;
};

[[noreturn]] void refuse(std::string_view words, const std::string& why) {
  throw RequestError("--at '" + shown(words) + "': " + why);
}

// A whole number of at least 0. One that is larger than any event number is the largest.
std::int64_t number(std::string_view words, std::string_view word, const char* example) {
  const bool digits = !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
  if (!digits) {
    refuse(words, (word.empty() ? "what follows must be a whole number"
                                : "'" + shown(word) + "' must be a whole number of at least 0") +
                      std::string(", ") + example);
  }
  return parse_number<std::int64_t>(word).value_or(INT64_MAX);
}

std::optional<Op> op_named(std::string_view word) {
  for (int n = 0; n < op_count; ++n) {
    if (word == name_of(static_cast<Op>(n))) return static_cast<Op>(n);
  }
  return std::nullopt;
}

// What an event must be to match. Names are compared with the tensor of a load or store and with the first
// tile.
struct Pattern {
  Op op;
  std::string_view name;
  std::vector<std::int64_t> blocks;
  std::int64_t occurrence = 1;
};

std::vector<std::int64_t> block_numbers(const Event& e, Axis rows, Axis cols) {
  std::vector<std::int64_t> numbers;
  for (const Axis axis : {rows, cols}) {
    if (axis == Axis::q) numbers.push_back(e.row);
    if (axis == Axis::kv) numbers.push_back(e.col);
  }
  return numbers;
}

bool matches(const Pattern& pattern, const Event& e, const Plan& plan) {
  if (e.op != pattern.op) return false;
  const Tile& tile = plan.kernels[e.launch].tiles[e.operand[0]];
  const bool moves = e.op == Op::load || e.op == Op::store;
  if (!pattern.name.empty() && pattern.name != tile.name &&
      !(moves && pattern.name == plan.tensors[e.tensor].name)) {
    return false;
  }
  if (pattern.blocks.empty()) return true;
  if (pattern.blocks.size() == 2) return pattern.blocks[0] == e.row && pattern.blocks[1] == e.col;
  const auto numbers = moves ? block_numbers(e, plan.tensors[e.tensor].rows, plan.tensors[e.tensor].cols)
                             : block_numbers(e, tile.rows, tile.cols);
  return !numbers.empty() && numbers[0] == pattern.blocks[0];
}

void check_name(std::string_view words, std::string_view name, const Plan& plan) {
  std::vector<std::string_view> known;  // each once, though kernels share names
  const auto add = [&](std::string_view other) {
    if (std::find(known.begin(), known.end(), other) == known.end()) known.push_back(other);
  };
  for (const Tensor& tensor : plan.tensors) add(tensor.name);
  for (const Kernel& kernel : plan.kernels) {
    for (const Tile& tile : kernel.tiles) add(tile.name);
  }
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  refuse(words, unknown_name("tensor or tile", name, known));
}

Pattern parse_pattern(std::string_view words, Op op, std::string_view rest, const Plan& plan) {
  Pattern pattern{op, {}, {}, 1};
  for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
    if (word[0] == '#') {
      pattern.occurrence = number(words, word.substr(1), one_event);
    } else if (word[0] >= '0' && word[0] <= '9') {
      pattern.blocks.push_back(number(words, word, one_event));
    } else if (pattern.name.empty() && pattern.blocks.empty()) {
      check_name(words, word, plan);
      pattern.name = word;
    } else {
      refuse(words, "does not understand '" + shown(word) +
                        "'; say e.g. 'load K 2', 'gemm s 1 2' or 'store O 0 #2'");
    }
  }
  if (pattern.blocks.size() > 2) refuse(words, "takes at most two block numbers, query block and key block");
  if (pattern.occurrence < 1) refuse(words, "occurrences are counted from #1");
  return pattern;
}

// Position after the n-th event of the run that `wanted` accepts.
template <class F>
std::optional<std::uint64_t> find_event(const Timeline& timeline, std::int64_t occurrence, F wanted) {
  std::uint64_t position = 0;
  try {
    timeline.each(0, timeline.size(), [&](const Event& e) {
      ++position;
      if (wanted(e) && --occurrence == 0) throw Found{position};
    });
  } catch (const Found& found) {
    return found.position;
  }
  return std::nullopt;
}

std::uint64_t find_tile(Timeline& timeline, std::string_view words, std::string_view rest) {
  const std::int64_t i = number(words, take_word(rest), one_tile),
                     j = number(words, take_word(rest), one_tile);
  if (!take_word(rest).empty())
    refuse(words, "takes two numbers, query block and key block, e.g. 'tile 2 1'");
  const auto found = find_event(timeline, 1, [&](const Event& e) { return e.row == i && e.col == j; });
  if (!found) refuse(words, "the run never visits that tile (it is outside the matrix, or masked)");
  return *found - 1;
}

std::uint64_t find_number(Timeline& timeline, std::string_view words, std::string_view rest) {
  const std::int64_t n = number(words, take_word(rest), "e.g. 'event 120'");
  if (!take_word(rest).empty()) refuse(words, "takes one number, e.g. 'event 120'");
  if (static_cast<std::uint64_t>(n) > timeline.size())
    refuse(words, "the run has " + std::to_string(timeline.size()) + " events");
  return static_cast<std::uint64_t>(n);
}

}  // namespace

std::uint64_t find_anchor(Timeline& timeline, std::string_view words) {
  std::string_view rest = words;
  const auto verb = take_word(rest);
  if (verb == "start" || verb == "end") {
    if (!take_word(rest).empty()) refuse(words, "nothing may follow '" + std::string(verb) + "'");
    return verb == "start" ? 0 : timeline.size();
  }
  if (verb == "event") return find_number(timeline, words, rest);
  if (verb == "tile") return find_tile(timeline, words, rest);
  const auto op = op_named(verb);
  if (!op) {
    std::vector<std::string_view> known{"start", "end", "event", "tile"};
    for (int n = 0; n < op_count; ++n) known.push_back(name_of(static_cast<Op>(n)));
    refuse(words, unknown_name("place", verb, known));
  }
  const Pattern pattern = parse_pattern(words, *op, rest, timeline.plan());
  const auto found = find_event(timeline, pattern.occurrence,
                                [&](const Event& e) { return matches(pattern, e, timeline.plan()); });
  if (!found) refuse(words, "the run has no such event");
  return *found;
}

}  // namespace tilewalk
