// The problems that `tilewalk verify` runs when none is named.
#pragma once

#include <string>
#include <vector>

#include "cli/run_flags.h"
#include "sim/problem.h"

namespace tilewalk {

struct VerifyCase {
  std::string group;  // cases that share a row of the table: a shape
  RunFlags flags;
  bool block_map = false;  // with example_block_mask
};

std::vector<VerifyCase> verify_cases();

// Blocks of 16 x 20, two in five visible; the second row of blocks sees nothing.
Mask example_block_mask(const Problem& problem);

}  // namespace tilewalk
