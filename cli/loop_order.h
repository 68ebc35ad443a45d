// The lecture's question, settled by counting: which loop should be the outer one?
#pragma once

#include <string>
#include <vector>

#include "sim/run.h"

namespace tilewalk {

// One line that holds the runs with K/V outer against those with Q outer, or "" when there are not both. Only
// fused algorithms count: with S and P in HBM the loop order is not what decides.
std::string loop_order_text(const std::vector<const Run*>& runs);

}  // namespace tilewalk
