// The flags that say what to run: the same for run, step, compare, sweep and trace.
#pragma once

#include <cstdint>
#include <string>

#include "cli/run_flags.h"
#include "lessons/run_request.h"

namespace tilewalk {

// Throws RequestError or Unavailable.
Request resolve(const RunFlags& flags);

// The request's Q, K and V. Throws RequestError when this machine has too little memory to run `plan` on
// them.
Inputs inputs_for(const Request& request, const Plan& plan, std::uint64_t more_memory = 0);

// Says on stderr when the tensors do not fit the modelled machine's device memory.
void note_footprint(std::uint64_t bytes, const Arch& arch);

}  // namespace tilewalk
