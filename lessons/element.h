// Single numbers of a run: of a tile at a position, of a tensor in HBM, of the inputs, or of attention by its
// definition.
#pragma once

#include <span>
#include <string>

#include "lessons/shelf.h"
#include "lessons/value.h"

namespace tilewalk {

// "m[5]", "S[5, 17]", "before.l[5]", "hbm.O[5, 0]", "score[5, 17]", "weight[5, 17]", "truth.O[5, 0]",
// "truth.m[5]". Rows and columns are those of the whole problem's first head. Throws RequestError.
Value element_of(std::span<const std::string> path, std::span<const double> indices, OpenRun& run,
                 std::uint64_t position);

}  // namespace tilewalk
