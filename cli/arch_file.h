// A user's own machine: a TOML file with the fields of sim/arch.h. cli/example_arch.toml shows them all.
#pragma once

#include <string>
#include <string_view>

#include "sim/arch.h"

namespace tilewalk {

// Throws RequestError "--arch name, line n: what; remedy". Every key must be known, and of the right type.
Arch parse_arch(std::string_view toml, const std::string& name);

Arch read_arch_file(const std::string& path);

}  // namespace tilewalk
