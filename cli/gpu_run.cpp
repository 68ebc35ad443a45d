#include "cli/gpu_run.h"

#include "cli/exit_code.h"
#include "sim/error.h"

namespace tilewalk {

void require_device() {
  const gpu::DeviceInfo device = gpu::device_info();
  if (!device.present) throw Unavailable(device.reason + "; 'tilewalk verify --recorded DIR' needs none");
}

KernelRequest kernel_request(const gpu::KernelRow& kernel, const RunFlags& flags) {
  RunFlags sound = flags;
  KernelRequest result;
  result.fault = flags.fault.value_or("");
  sound.fault.reset();
  result.request = resolve(sound);
  const TilingRequest& wanted = result.request.tiling;
  const Tiling tiling =
      gpu::default_tiling(result.request.problem, {wanted.block_q, wanted.block_kv, wanted.order});
  result.plan = make_plan(
      {&algorithm_named(kernel.algorithm), result.request.problem, tiling, result.request.arch, nullptr});
  return result;
}

gpu::KernelRun run_on_gpu(const gpu::KernelRow& kernel, const KernelRequest& request, const Inputs& inputs,
                          bool traced) {
  gpu::KernelRun run = gpu::run_kernel(kernel, *request.plan, inputs, traced, request.fault);
  if (run.end == gpu::RunEnd::refused) throw RequestError(run.error);
  if (run.end == gpu::RunEnd::unavailable) throw Unavailable(run.error);
  return run;
}

KernelResult run_traced(const gpu::KernelRow& kernel, const KernelRequest& request, const Inputs& inputs) {
  gpu::KernelRun run = run_on_gpu(kernel, request, inputs, true);
  KernelResult result;
  result.kernel = kernel.name;
  result.fault = request.fault;
  result.trace = std::move(*run.trace);
  result.o = std::move(run.o);
  result.lse = std::move(run.lse);
  result.malformed = std::move(run.malformed);
  return result;
}

}  // namespace tilewalk
