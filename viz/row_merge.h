// What the tile at work does to one row: the numbers of the merge, from the states before and after it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viz/tile_values.h"

namespace tilewalk::viz {

enum class MergeKind : std::uint8_t {
  off,        // the run only counts
  elsewhere,  // the row is not in the rows at work
  start,      // before the first tile: initial values
  scores,     // the kernel only computes scores
  online,     // online softmax: m, l and O in one go
  blocks,     // FlashAttention-1: the block's own m and l, then a merge
  whole,      // softmax over whole rows
  known,      // softmax with m and l known from a pass before
  sum,        // O += P V, without running values
  finish      // after the last tile: O divided by l
};

struct RowMerge {
  MergeKind kind = MergeKind::off;
  std::int64_t row = 0, local = 0;  // of all queries; of the tile
  // Before, of the tile alone, and after; no value: not known (yet).
  Value m, m_tile, m_new, alpha, beta, l, l_tile, l_new, lse;
  std::vector<float> s, p, o, o_new;  // rows: scores, weights, O before and after
  bool sees_nothing = false;          // the mask hides all keys so far
  // A result is not what the formula gives: the fault of the schedule.
  bool wrong_m = false, wrong_l = false, wrong_o = false;
  std::string fault;
};

RowMerge row_merge(const Frame& frame, const RunFrame& run);

}  // namespace tilewalk::viz
