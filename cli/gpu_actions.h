// What `tilewalk gpu` does, one file each.
#pragma once

#include "cli/flags.h"
#include "cli/run_flags.h"

namespace tilewalk {

struct GpuFlags {
  RunFlags run;
  Flag what, kernel_name, kernel, out, csv, repeats;
};

// Each returns the exit code.
int gpu_bench(const GpuFlags& flags);
int gpu_counters(const GpuFlags& flags);

// A problem is named: else a table of problems is run.
bool names_a_problem(const RunFlags& flags);

}  // namespace tilewalk
