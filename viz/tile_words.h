// Where the value of a cell comes from, in words: its inputs and the arithmetic.
#pragma once

#include <string>

#include "viz/frame.h"

namespace tilewalk::viz {

// Of element (row, col) of a tile in the kernel at work.
std::string cell_words(const Frame& frame, const RunFrame& run, int tile, std::int64_t row, std::int64_t col);

}  // namespace tilewalk::viz
