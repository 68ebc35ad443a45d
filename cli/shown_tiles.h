// What `step --show` shows: tiles of the current CTA and tensors in HBM, at a moment of a run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/shown_matrix.h"
#include "sim/timeline.h"

namespace tilewalk {

// "m,l,O,S": names of tiles (q, K, s, ...; a capital letter is the same tile), or "hbm:O" for the tensor.
// Throws RequestError for a name that the algorithm has nowhere.
std::vector<std::string> parse_shown(std::string_view list, const Plan& plan);

// m, l, O and S, as far as the algorithm has them.
std::vector<std::string> default_shown(const Plan& plan);

// The tile of that name, or the part of the tensor that the event just done (if any) works on.
ShownMatrix find_shown(const std::string& name, Timeline& timeline);

// All of a tensor, for files; the matrix of a tile is whole anyway.
ShownMatrix find_whole(const std::string& name, Timeline& timeline);

}  // namespace tilewalk
