// What the merge view shows of a run, and how much room each part takes.
#pragma once

#include <vector>

#include "viz/merge_lines.h"

namespace tilewalk::viz {

// All that is shown of one run.
struct Content {
  RowMerge merge;
  std::vector<MergeLine> lines;
  std::vector<Note> notes;
};

Content content_of(const Frame& frame, const RunFrame& run);
bool has_strips(const RowMerge& merge);

// Where the numbers of a formula stand.
enum class Filled : std::uint8_t { nowhere, below, beside };

// How much each part takes.
struct Heights {
  float heading, step, below, strips, notes;  // step: of a line; below: of the numbers under it
  float lines, total;
  Filled filled;
  float formula;  // how wide the widest formula is, where numbers stand beside it
};

// Of the columns of numbers.
float column_width(const Frame& frame, float width);
// Of notes; without `all`, of warnings alone.
float notes_height(const Frame& frame, const std::vector<Note>& notes, float width, bool all);
Heights heights_of(const Frame& frame, const Content& content, float width, float room);

}  // namespace tilewalk::viz
