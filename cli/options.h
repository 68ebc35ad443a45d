// The flags that say what to run: the same for run, step, compare, sweep and trace.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/run_flags.h"
#include "sim/inputs.h"
#include "sim/plan.h"

namespace tilewalk {

// All that the flags say, with every default filled in; what is left to choose is the algorithm.
struct Request {
  Problem problem;
  Arch arch;
  TilingRequest tiling;
  const Fault* fault = nullptr;
  std::string inputs;                // where Q, K and V come from, in words
  std::string head;                  // "" when they are not a shipped head
  std::array<std::string, 3> files;  // of Q, K and V; "" when they are not from files
  std::string arch_file;             // "" when the machine is a listed one
  std::uint64_t seed = 0;
  std::optional<Inputs> given;  // of a head or of files; else they are made from the seed
  bool count_only = false;
};

// Throws RequestError or Unavailable.
Request resolve(const RunFlags& flags);

RunConfig config_for(const Request& request, const Algorithm& algorithm);
std::shared_ptr<const Plan> plan_for(const Request& request, const Algorithm& algorithm);

// The request's Q, K and V. Throws RequestError when this machine has too little memory to run `plan` on
// them.
Inputs inputs_for(const Request& request, const Plan& plan, std::uint64_t more_memory = 0);

// Says on stderr when the tensors do not fit the modelled machine's device memory.
void note_footprint(std::uint64_t bytes, const Arch& arch);

}  // namespace tilewalk
