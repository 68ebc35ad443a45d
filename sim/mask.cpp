#include "sim/mask.h"

#include <algorithm>
#include <optional>

#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

constexpr std::int64_t widest = std::int64_t{1} << 40;  // of a window
constexpr std::size_t most_blocks = std::size_t{1} << 26;

[[noreturn]] void refuse(std::string_view name, std::size_t line, const std::string& why) {
  throw RequestError("block mask " + std::string(name) + ", line " + std::to_string(line) + ": " + why);
}

std::pair<std::int64_t, std::int64_t> parse_block_size(std::string_view line, std::string_view name) {
  const auto rows = parse_number<std::int64_t>(take_word(line));
  const auto cols = parse_number<std::int64_t>(take_word(line));
  if (!rows || !cols || !take_word(line).empty() || *rows < 1 || *cols < 1) {
    refuse(name, 1, "expected \"block_rows block_cols\", two whole numbers of at least 1, e.g. \"64 64\"");
  }
  return {*rows, *cols};
}

std::vector<char> parse_bits(std::string_view line, std::string_view name, std::size_t number) {
  std::vector<char> bits;
  for (const char c : line) {
    if (c == '0' || c == '1') {
      bits.push_back(c == '1');
    } else if (c != ' ' && c != '\t') {
      refuse(name, number, "expected only 0 and 1, found '" + shown({&c, 1}) + "'");
    }
    if (bits.size() > most_blocks) refuse(name, number, "too many blocks; use larger ones");
  }
  return bits;
}

}  // namespace

std::int64_t BlockMap::ones(std::int64_t r0, std::int64_t c0, std::int64_t r1, std::int64_t c1) const {
  const auto at = [&](std::int64_t r, std::int64_t c) {
    return ones_before[static_cast<std::size_t>(r * (cols + 1) + c)];
  };
  return at(r1, c1) - at(r0, c1) - at(r1, c0) + at(r0, c0);
}

BlockMap parse_block_map(std::string_view text, std::string_view name) {
  BlockMap map;
  std::tie(map.block_rows, map.block_cols) = parse_block_size(take_line(text), name);
  std::size_t number = 1;
  while (!text.empty()) {
    ++number;
    const auto bits = parse_bits(take_line(text), name, number);
    if (bits.empty()) continue;
    if (map.rows == 0) {
      map.cols = static_cast<std::int64_t>(bits.size());
      map.ones_before.assign(bits.size() + 1, 0);
    }
    if (static_cast<std::int64_t>(bits.size()) != map.cols) {
      refuse(name, number,
             "has " + std::to_string(bits.size()) + " blocks, the first row has " + std::to_string(map.cols) +
                 "; give every row the same number");
    }
    if (map.ones_before.size() > most_blocks) refuse(name, number, "too many blocks; use larger ones");
    const std::size_t above = map.ones_before.size() - bits.size() - 1;
    std::int64_t ones = 0;
    map.ones_before.push_back(0);
    for (std::size_t c = 0; c < bits.size(); ++c) {
      ones += bits[c];
      map.ones_before.push_back(map.ones_before[above + c + 1] + ones);
    }
    ++map.rows;
  }
  if (map.rows == 0) refuse(name, number, "no rows of 0 and 1 follow the first line");
  return map;
}

Mask Mask::causal() {
  Mask mask;
  mask.last_ = 0;
  mask.spec_ = "causal";
  return mask;
}

Mask Mask::window(std::int64_t width, bool causal) {
  Mask mask;
  mask.first_ = 1 - width;
  mask.last_ = causal ? 0 : width - 1;
  mask.spec_ = (causal ? "causal+window:" : "window:") + std::to_string(width);
  return mask;
}

Mask Mask::blocks(std::string spec, std::shared_ptr<const BlockMap> map) {
  Mask mask;
  mask.map_ = std::move(map);
  mask.spec_ = std::move(spec);
  return mask;
}

Mask Mask::shifted_right() const {
  Mask mask = *this;
  if (mask.last_ != unbounded_last) ++mask.last_;
  return mask;
}

bool Mask::visible(std::int64_t i, std::int64_t j, std::int64_t shift) const {
  const std::int64_t distance = j - i - shift;
  if (distance < first_ || distance > last_) return false;
  return !map_ || map_->ones(i / map_->block_rows, j / map_->block_cols, i / map_->block_rows + 1,
                             j / map_->block_cols + 1) != 0;
}

std::int64_t Mask::ones_in(const Rect& rect, std::int64_t* blocks) const {
  const std::int64_t r0 = rect.row / map_->block_rows, r1 = (rect.row + rect.rows - 1) / map_->block_rows + 1;
  const std::int64_t c0 = rect.col / map_->block_cols, c1 = (rect.col + rect.cols - 1) / map_->block_cols + 1;
  *blocks = (r1 - r0) * (c1 - c0);
  return map_->ones(r0, c0, r1, c1);
}

bool Mask::skips(const Rect& rect, std::int64_t shift) const {
  if (rect.rows == 0 || rect.cols == 0) return true;
  const std::int64_t least = rect.col - (rect.row + rect.rows - 1) - shift;
  const std::int64_t most = (rect.col + rect.cols - 1) - rect.row - shift;
  if (most < first_ || least > last_) return true;
  if (!map_) return false;
  std::int64_t blocks = 0;
  if (ones_in(rect, &blocks) == 0) return true;
  return false;
}

bool Mask::fills(const Rect& rect, std::int64_t shift) const {
  if (rect.rows == 0 || rect.cols == 0) return true;
  const std::int64_t least = rect.col - (rect.row + rect.rows - 1) - shift;
  const std::int64_t most = (rect.col + rect.cols - 1) - rect.row - shift;
  if (least < first_ || most > last_) return false;
  if (!map_) return true;
  std::int64_t blocks = 0;
  return ones_in(rect, &blocks) == blocks;
}

Mask parse_mask(std::string_view spec) {
  if (spec == "none") return Mask();
  if (spec == "causal") return Mask::causal();
  const bool causal = spec.starts_with("causal+");
  std::string_view rest = causal ? spec.substr(7) : spec;
  if (rest.starts_with("window:")) {
    const auto width = parse_number<std::int64_t>(rest.substr(7));
    if (width && *width >= 1 && *width <= widest) return Mask::window(*width, causal);
    throw RequestError("--mask " + shown(spec) + ": W in window:W must be a whole number from 1 to " +
                       std::to_string(widest) + ", e.g. window:128");
  }
  static constexpr std::string_view known[] = {"none", "causal", "window:W", "causal+window:W",
                                               "blocks:FILE"};
  throw RequestError("--mask: " + unknown_name("mask", spec, known));
}

}  // namespace tilewalk
