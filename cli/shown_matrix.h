// Numbers of a tile or tensor, to be shown or written to a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewalk {

// A tile or tensor as a matrix of numbers, or why there is none.
struct ShownMatrix {
  std::string name;    // "m", "hbm:O"
  std::string place;   // "reg", "hbm"
  std::string status;  // "" when there are values; else e.g. "stale: nothing was written to it yet"
  std::string about;   // e.g. "of tile (0, 1), holds exp(S - m)"
  std::int64_t rows = 0, cols = 0;
  std::int64_t first_row = 0, first_col = 0;  // of the whole tensor
  std::vector<float> values;                  // row-major
  std::vector<bool> written;                  // per element
};

// A small table; beyond 8 x 8 the middle is left out. Ends with a line break.
std::string matrix_text(const ShownMatrix& matrix);

}  // namespace tilewalk
