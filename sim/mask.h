// Which key a query may see. Masks are data that schedules ask; no algorithm knows a kind of mask.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilewalk {

// A rectangle of the score matrix: query rows [row, row + rows), key columns [col, col + cols).
struct Rect {
  std::int64_t row = 0, col = 0, rows = 0, cols = 0;
};

// A 0/1 matrix over blocks of the score matrix, independent of the tiling.
struct BlockMap {
  std::int64_t block_rows = 1, block_cols = 1;  // elements a block covers
  std::int64_t rows = 0, cols = 0;              // blocks
  std::vector<std::int64_t> ones_before;        // (rows+1) x (cols+1) prefix sums of the ones

  // Ones among blocks [r0, r1) x [c0, c1).
  std::int64_t ones(std::int64_t r0, std::int64_t c0, std::int64_t r1, std::int64_t c1) const;
};

// Parses the text of a block mask: first line "block_rows block_cols", then rows of 0/1 (spaces optional).
// Throws RequestError with the line number.
BlockMap parse_block_map(std::string_view text, std::string_view name);

// Every kind is a band around the diagonal, cut by an optional block map. With D = j - (i + n_kv - n_q), so
// that the diagonal is aligned at the bottom right, key j is visible to row i when first <= D <= last.
class Mask {
 public:
  Mask() = default;
  static Mask causal();
  static Mask window(std::int64_t width, bool causal);
  static Mask blocks(std::string spec, std::shared_ptr<const BlockMap> map);

  bool is_none() const { return first_ == unbounded_first && last_ == unbounded_last && !map_; }
  bool is_causal() const { return last_ == 0; }
  const std::string& spec() const { return spec_; }  // as given on the command line, e.g. "causal+window:64"
  const BlockMap* map() const { return map_.get(); }
  std::int64_t first() const { return first_; }
  std::int64_t last() const { return last_; }

  // The mask of a kernel that is off by one: every row sees one key more on the right.
  Mask shifted_right() const;

  // `shift` is n_kv - n_q.
  bool visible(std::int64_t i, std::int64_t j, std::int64_t shift) const;
  bool skips(const Rect& rect, std::int64_t shift) const;  // no element of the rectangle is visible
  bool fills(const Rect& rect, std::int64_t shift) const;  // every element is

 private:
  static constexpr std::int64_t unbounded_first = INT64_MIN / 4, unbounded_last = INT64_MAX / 4;
  std::int64_t ones_in(const Rect& rect, std::int64_t* blocks) const;

  std::int64_t first_ = unbounded_first, last_ = unbounded_last;
  std::shared_ptr<const BlockMap> map_;
  std::string spec_ = "none";
};

// Reads "none", "causal", "window:W" or "causal+window:W". `blocks:FILE` needs a file and is the caller's to
// read.
Mask parse_mask(std::string_view spec);

}  // namespace tilewalk
