// The figures of a run that people read, each with its origin: rows of run's and compare's tables.
#pragma once

#include <string>
#include <vector>

#include "sim/run.h"

namespace tilewalk {

struct Figure {
  std::string label;
  std::string (*value)(const Run&);
  const char* origin;  // "model", "theory"
};

std::vector<Figure> traffic_figures();
std::vector<Figure> work_figures();
std::vector<Figure> place_figures(const Arch& arch);  // peaks and footprint in bytes; arch: that of the plans

std::string error_text(const OutputCheck& check);  // "1.22e-04 of 9.77e-04 allowed (12 %)"
std::string problem_text(const Problem& problem);  // "n 1024, d 64, 1 head, f16, mask none, scale 0.125"
std::string tiling_text(const Plan& plan);         // "64 x 64"

// The HBM bytes of one tensor: 0 when the run has no such tensor.
std::uint64_t hbm_bytes(const Run& run, std::string_view tensor, bool write);

// Throws nothing; says on stderr that the output is wrong, and returns the exit code for it.
int judge(const Run& run);

}  // namespace tilewalk
