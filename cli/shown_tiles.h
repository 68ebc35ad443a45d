// What `step --show` shows: tiles of the current CTA and tensors in HBM, at a moment of a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/timeline.h"

namespace tilewalk {

// A tile or tensor as a matrix of numbers, or why there is none.
struct ShownMatrix {
  std::string name;    // "m", "hbm:O"
  std::string place;   // "reg", "hbm"
  std::string status;  // "" when there are values; else e.g. "stale: nothing was written to it yet"
  std::string about;   // e.g. "last written for tile (0, 1)"
  std::int64_t rows = 0, cols = 0;
  std::int64_t first_row = 0, first_col = 0;  // of the whole tensor
  std::vector<float> values;                  // row-major
  std::vector<bool> written;                  // per element
};

// "m,l,O,S": names of tiles (q, K, s, ...; a capital letter is the same tile), or "hbm:O" for the tensor.
// Throws RequestError for a name that the algorithm has nowhere.
std::vector<std::string> parse_shown(std::string_view list, const Plan& plan);

// m, l, O and S, as far as the algorithm has them.
std::vector<std::string> default_shown(const Plan& plan);

// The tile of that name, or the part of the tensor that the event just done (if any) works on.
ShownMatrix find_shown(const std::string& name, Timeline& timeline);

// All of a tensor, for files; the matrix of a tile is whole anyway.
ShownMatrix find_whole(const std::string& name, Timeline& timeline);

// A small table; beyond 8 x 8 the middle is left out. Ends with a line break.
std::string matrix_text(const ShownMatrix& matrix);

}  // namespace tilewalk
