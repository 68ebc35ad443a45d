#include "cli/gpu_run.h"

#include "cli/exit_code.h"
#include "cli/gpu_actions.h"
#include "sim/error.h"

namespace tilewalk {

void require_device() {
  const gpu::DeviceInfo device = gpu::device_info();
  if (!device.present) throw Unavailable(device.reason + "; 'tilewalk verify --recorded DIR' needs none");
}

void expect_done(gpu::RunEnd end, const std::string& error) {
  switch (end) {
    case gpu::RunEnd::done: return;
    case gpu::RunEnd::refused: throw RequestError(error);
    case gpu::RunEnd::unavailable: throw Unavailable(error);
    case gpu::RunEnd::failed: throw DeviceFailed(error);
  }
}

KernelRequest kernel_request(const gpu::KernelRow& kernel, Request request, const std::string& fault) {
  KernelRequest result{std::move(request), fault, nullptr};
  const Problem& problem = result.request.problem;
  const TilingRequest& wanted = result.request.tiling;
  const Tiling tiling = gpu::kernel_tiling(kernel, problem, {wanted.block_q, wanted.block_kv, wanted.order});
  const std::string why = gpu::unsupported(kernel, problem, tiling, fault);
  if (!why.empty()) throw RequestError(why);
  result.plan =
      make_plan({&algorithm_named(kernel.algorithm), problem, tiling, result.request.arch, nullptr});
  return result;
}

KernelRequest kernel_request(const gpu::KernelRow& kernel, const RunFlags& flags) {
  RunFlags sound = flags;
  sound.fault.reset();
  return kernel_request(kernel, resolve(sound), flags.fault.value_or(""));
}

std::vector<const gpu::KernelRow*> chosen_kernels(const Flag& flag) {
  if (flag && *flag != "all") return {&gpu::kernel_named(*flag)};
  std::vector<const gpu::KernelRow*> rows;
  for (const gpu::KernelRow& row : gpu::kernels()) rows.push_back(&row);
  return rows;
}

OnceBytes once_a_kernel(const Run& run) {
  OnceBytes bytes;
  const Plan& plan = *run.plan;
  const auto hbm = static_cast<std::size_t>(plan.config.arch.level("hbm"));
  for (const Counts& kernel : run.kernels) {
    for (std::size_t t = 0; t < plan.tensors.size(); ++t) {
      const std::uint64_t all = plan.tensors[t].bytes(plan.problem());
      if (kernel.bytes[hbm][0][t] > 0) bytes.read += all;
      if (kernel.bytes[hbm][1][t] > 0) bytes.write += all;
    }
  }
  return bytes;
}

bool names_a_problem(const RunFlags& f) {
  for (const Flag* flag : {&f.n, &f.n_kv, &f.d, &f.heads, &f.kv_heads, &f.batch, &f.dtype, &f.mask, &f.scale,
                           &f.q, &f.k, &f.v, &f.head, &f.block_q, &f.block_kv}) {
    if (*flag) return true;
  }
  return false;
}

gpu::KernelRun run_on_gpu(const gpu::KernelRow& kernel, const KernelRequest& request, const Inputs& inputs,
                          bool traced) {
  gpu::KernelRun run = gpu::run_kernel(kernel, *request.plan, inputs, traced, request.fault);
  expect_done(run.end, run.error);
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
