// How m and l of one row of queries go from key block to key block, in the order in which the kernel visits
// them. Worked out from the inputs as a sound schedule would, for one row at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "viz/box.h"
#include "viz/frame.h"

namespace tilewalk::viz {

struct RowPath {
  std::vector<std::int64_t> blocks;  // key blocks
  std::vector<float> m, l;           // after each
  std::vector<float> o;              // d values after each, divided by l; empty unless asked for
  std::size_t done = 0;              // so many of them have been merged at the moment
};

// Empty where there are no values, or no running m and l over key blocks.
RowPath row_path(const RunFrame& run, std::int64_t row, bool with_o = false);

// One quantity over the key blocks: what was, as a line; what will be, dashed; where it is, a dot.
void draw_path_plot(const Frame& frame, Box box, std::string_view title, const RowPath& path,
                    const std::vector<float>& values, Colour colour);

// O over the key blocks, as cells: a key block a column, an element of the row downwards.
void draw_path_of_o(const Frame& frame, Box box, const RowPath& path, std::int64_t d);

}  // namespace tilewalk::viz
