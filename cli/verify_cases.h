// The problems that `tilewalk verify` checks when none is named.
#pragma once

#include <vector>

#include "cli/options.h"

namespace tilewalk {

std::vector<RunFlags> verify_cases();

}  // namespace tilewalk
