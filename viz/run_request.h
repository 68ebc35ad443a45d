// What to open, and the facts of a run that do not depend on the position.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lessons/run_request.h"
#include "sim/inputs.h"
#include "sim/plan.h"
#include "sim/progress.h"
#include "sim/run.h"
#include "sim/timeline.h"
#include "viz/visits.h"

namespace tilewalk::viz {

struct RunRequest {
  std::string algorithm = "flash2";
  Problem problem;
  TilingRequest tiling;
  Arch arch;  // as listed: capacities not yet in bytes
  const Fault* fault = nullptr;
  std::uint64_t seed = 0;               // of random inputs
  std::string head;                     // "" when the inputs are not a shipped head
  std::shared_ptr<const Inputs> given;  // of a head or of files; else they are made from the seed
  std::array<std::string, 3> files;     // of Q, K and V; "" when the inputs are not from files
  std::string arch_file;                // "" when the machine is a listed one
  bool count_only = false;
  bool alone = true;  // no other run beside it: another algorithm's bytes are counted along
};

struct RunFacts {
  RunRequest request;
  std::shared_ptr<const Plan> plan;
  std::shared_ptr<const Inputs> inputs;      // null: count-only
  Run totals;                                // counts of the whole run, without values
  std::uint64_t size = 0;                    // events
  std::vector<std::uint64_t> kernel_starts;  // positions; one more than kernels
  std::vector<Visits> visits;                // per kernel
  // Positions where tiles begin, or inner loops where there are many tiles; empty when there are too many.
  std::vector<std::uint64_t> marks;
  bool too_large_for_values = false;  // asked for, but left out
  // What every algorithm that fits would move on the same inputs, this one first.
  std::vector<Run> rivals;
  std::shared_ptr<const Plan> beside;  // the one whose counts run along; null: none
};

// A run that can be walked. Made and used by one thread.
struct LoadedRun {
  std::shared_ptr<const RunFacts> facts;
  Timeline timeline;
  std::optional<Timeline> beside = {};
};

// Throws RequestError, and what `progress` throws.
LoadedRun load_run(const RunRequest& request, const Progress& progress = {});

// Of a run as flags or a lesson ask for it.
RunRequest run_request_of(const Request& request, const Algorithm& algorithm);

// flash2 on a shipped head, causal, in 32x32 tiles: what opens when nothing was asked for.
RunRequest default_request();

// Sets the inputs to as many first rows of the request's head as its problem asks for.
void take_rows_of_head(RunRequest& request);

// "flash2 · N 512 · d 64 · Br 32 · Bc 32 · causal · f16 · a100".
std::string title_of(const RunFacts& facts);

}  // namespace tilewalk::viz
