// From the command line's flags to a run of a GPU kernel.
#pragma once

#include <memory>

#include "cli/kernel_check.h"
#include "cli/options.h"
#include "gpu/api.h"

namespace tilewalk {

// Throws Unavailable with the reason when there is no GPU that can run the kernels.
void require_device();

struct KernelRequest {
  Request request;
  std::string fault;                 // "" or a broken variant of the kernel; the plan is sound
  std::shared_ptr<const Plan> plan;  // with the kernel's tiling
};

// The kernel's own tiling where the flags give no block size. Throws RequestError or Unavailable.
KernelRequest kernel_request(const gpu::KernelRow& kernel, const RunFlags& flags);

// Throws RequestError or Unavailable.
gpu::KernelRun run_on_gpu(const gpu::KernelRow& kernel, const KernelRequest& request, const Inputs& inputs,
                          bool traced);
KernelResult run_traced(const gpu::KernelRow& kernel, const KernelRequest& request, const Inputs& inputs);

}  // namespace tilewalk
