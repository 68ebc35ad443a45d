// The CUDA kernels' sources, and which of their lines does a step of the schedule (gpu/kernel_lines.txt).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/event.h"
#include "sim/plan.h"

namespace tilewalk::viz {

// "" where the program holds none.
std::string_view kernel_source(std::string_view kernel);

// "load.K", "gemm.s": what a row of the table calls an event.
std::string step_name(const Event& event, const Plan& plan);

// A kernel of this algorithm whose lines are known, `preferred` if it is one; "" when there is none.
std::string_view kernel_with_lines(std::string_view algorithm, std::string_view preferred = "");

// From 1; 0 where no line is known to do this step.
int kernel_line(std::string_view kernel, const Event& event, const Plan& plan);

struct KernelLine {
  std::string_view kernel, launch, step, after, text;
  int line = 0;  // 0: the source has no such line
};
const std::vector<KernelLine>& kernel_lines();

}  // namespace tilewalk::viz
