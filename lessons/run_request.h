// From flags as typed to a run with every default filled in, for the command line and for lessons alike.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "lessons/run_flags.h"
#include "sim/inputs.h"
#include "sim/plan.h"

namespace tilewalk {

// All that the flags say; what is left to choose is the algorithm.
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

// What comes from outside: files, and the tiles of GPU kernels. Flags that ask for what a program leaves out
// here are refused.
struct RunSources {
  Arch (*arch_file)(const std::string& path) = nullptr;
  std::string (*mask_file)(const std::string& path, const std::string& shown) = nullptr;  // its text
  void (*input_files)(const RunFlags& flags, Request& request) = nullptr;                 // --q, --k, --v
  void (*kernel_tiling)(const std::string& kernel, Request& request) = nullptr;
};

// Throws RequestError.
Request resolve(const RunFlags& flags, const RunSources& sources);

RunConfig config_for(const Request& request, const Algorithm& algorithm);
std::shared_ptr<const Plan> plan_for(const Request& request, const Algorithm& algorithm);

// The request's Q, K and V: as given, or made from the seed.
Inputs make_inputs(const Request& request);

// ---- For those who fill a request in ----

// A flag may repeat what another source of the inputs says, and nothing else.
void check_flag(const char* name, const Flag& flag, std::int64_t size, const std::string& source);
void refuse_seed(const RunFlags& flags, const std::string& source);

// A head of lessons/heads.h; a smaller --n or --n-kv takes its first rows.
void take_head(const RunFlags& flags, Request& request);

}  // namespace tilewalk
