// The --algorithms flag of compare and sweep.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "sim/algorithm.h"

namespace tilewalk {

void add_algorithms_flag(CLI::App& app, Flag& flag);

// "standard,flash2" or "all"; by default standard, flash1 and flash2. Throws RequestError.
std::vector<const Algorithm*> parse_algorithms(const Flag& flag);

// The words between commas; empty ones too.
std::vector<std::string> split_at_commas(const std::string& text);

}  // namespace tilewalk
