// From the command line's flags to a run of a GPU kernel.
#pragma once

#include <memory>

#include "cli/kernel_check.h"
#include "cli/options.h"
#include "gpu/api.h"
#include "sim/run.h"

namespace tilewalk {

// Throws Unavailable with the reason when there is no GPU that can run the kernels.
void require_device();

struct KernelRequest {
  Request request;
  std::string fault;                 // "" or a broken variant of the kernel; the plan is sound
  std::shared_ptr<const Plan> plan;  // with the kernel's tiling
};

// Throws RequestError, Unavailable or DeviceFailed unless it is done.
void expect_done(gpu::RunEnd end, const std::string& error);

// The kernel's own tiling where the flags give no block size. Throws RequestError or Unavailable, also for
// what the kernel does not take.
KernelRequest kernel_request(const gpu::KernelRow& kernel, const RunFlags& flags);
// The same for a problem already resolved.
KernelRequest kernel_request(const gpu::KernelRow& kernel, Request request, const std::string& fault);

// --kernel: one row, or all of them for "all" or nothing.
std::vector<const gpu::KernelRow*> chosen_kernels(const Flag& flag);

// HBM bytes if every kernel of the run read and wrote each tensor that it touches once.
struct OnceBytes {
  std::uint64_t read = 0, write = 0;
};
OnceBytes once_a_kernel(const Run& run);

// Throws RequestError or Unavailable.
gpu::KernelRun run_on_gpu(const gpu::KernelRow& kernel, const KernelRequest& request, const Inputs& inputs,
                          bool traced);
KernelResult run_traced(const gpu::KernelRow& kernel, const KernelRequest& request, const Inputs& inputs);

}  // namespace tilewalk
