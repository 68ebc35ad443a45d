// The merge as lines: a formula, the same with its numbers, and the values before and after.
#pragma once

#include <string>
#include <vector>

#include "viz/row_merge.h"

namespace tilewalk::viz {

struct MergeLine {
  std::string quantity;  // whose colour the result has
  std::string formula, filled;
  Value before, tile, after;
  bool has_result = true;
  bool now = false;    // the step just done computed it
  bool wrong = false;  // not what the formula gives: the schedule has a fault
};

struct Note {
  std::string text;
  bool bad = false;
};

std::vector<MergeLine> merge_lines(const RunFrame& run, const RowMerge& merge);
// What must be said beside the numbers.
std::vector<Note> merge_notes(const Frame& frame, const RunFrame& run, const RowMerge& merge);
// "merge of tile 9, 1".
std::string merge_title(const Frame& frame, const RunFrame& run, const RowMerge& merge);

}  // namespace tilewalk::viz
