// Built where there is a CUDA compiler: plans and inputs become jobs for the device, and results come back.
#include <algorithm>

#include "gpu/api.h"
#include "gpu/convert.h"
#include "gpu/device_job.h"
#include "sim/error.h"

namespace tilewalk::gpu {
namespace {

constexpr std::pair<std::string_view, Rung> rungs[] = {{"standard_naive", Rung::standard_naive},
                                                       {"flash1_scalar", Rung::flash1_scalar},
                                                       {"flash2_scalar", Rung::flash2_scalar}};

constexpr std::pair<std::string_view, Fault> faults[] = {{"", Fault::none},
                                                         {"no_rescale", Fault::no_rescale},
                                                         {"per_tile_softmax", Fault::per_tile_softmax},
                                                         {"skip_tail_mask", Fault::skip_tail_mask},
                                                         {"causal_off_by_one", Fault::causal_off_by_one},
                                                         {"stale_tile", Fault::stale_tile},
                                                         {"double_load", Fault::double_load},
                                                         {"missing_barrier", Fault::missing_barrier}};

template <typename Row, std::size_t n>
const Row* find(const Row (&rows)[n], std::string_view name) {
  const auto at = std::find_if(rows, rows + n, [&](const Row& row) { return row.first == name; });
  return at == rows + n ? nullptr : at;
}

constexpr std::int64_t most_block = 64, most_d = 256;

// "" when the rung can run the plan.
std::string unsupported(const KernelRow& kernel, const Plan& plan, std::string_view fault) {
  const Problem& p = plan.problem();
  const Tiling& t = plan.config.tiling;
  const std::string name(kernel.name);
  if (p.d > most_d) return "--d " + std::to_string(p.d) + ": " + name + " supports d up to 256";
  if (t.block_q > most_block || t.block_kv > most_block)
    return "--block-q " + std::to_string(t.block_q) + " --block-kv " + std::to_string(t.block_kv) + ": " +
           name + " supports blocks up to 64";
  if (p.n_q > INT32_MAX || p.n_kv > INT32_MAX) return "--n: " + name + " supports sequences up to 2^31 - 1";
  if (!fault.empty() && std::find(kernel.faults.begin(), kernel.faults.end(), fault) == kernel.faults.end())
    return "--fault: " + unknown_name("fault of " + name, fault, kernel.faults);
  return "";
}

MaskParams mask_params(const Problem& p, std::vector<std::int64_t>& map) {
  MaskParams mask;
  mask.first = p.mask.first();
  mask.last = p.mask.last();
  if (const BlockMap* blocks = p.mask.map()) {
    mask.map = {blocks->block_rows, blocks->block_cols, blocks->rows, blocks->cols, nullptr};
    map = blocks->ones_before;
  }
  return mask;
}

DeviceJob job_of(const KernelRow& kernel, const Plan& plan, const Inputs& inputs, bool traced,
                 std::string_view fault) {
  const Problem& p = plan.problem();
  const Tiling& t = plan.config.tiling;
  DeviceJob job;
  job.rung = find(rungs, kernel.name)->second;
  job.dtype = static_cast<DType>(p.dtype);
  job.fault = find(faults, fault)->second;
  job.traced = traced;
  job.params.batch = p.batch;
  job.params.heads = p.heads;
  job.params.kv_heads = p.kv_heads;
  job.params.n_q = p.n_q;
  job.params.n_kv = p.n_kv;
  job.params.d = p.d;
  job.params.scale = p.scale;
  job.params.mask = mask_params(p, job.map);
  job.tiling = {static_cast<int>(t.block_q), static_cast<int>(t.block_kv), t.order == Order::descending};
  // Standard attention's softmax over whole rows has a tiling of its own; else it reads S twice, in tiles.
  const bool whole_rows =
      job.rung == Rung::standard_naive && plan.kernels[1].kv_blocks == 1 && plan.kernels[1].tiles.size() == 1;
  job.softmax_rows = whole_rows ? static_cast<int>(plan.kernels[1].tiling.block_q) : 0;
  job.q = inputs.q.data();
  job.k = inputs.k.data();
  job.v = inputs.v.data();
  return job;
}

}  // namespace

DeviceInfo device_info() {
  const DeviceFacts f = device_facts();
  return {f.present, f.reason, f.name,   f.driver,      f.runtime, f.toolkit,         f.major,
          f.minor,   f.sms,    f.memory, f.free_memory, f.l2,      f.shared_per_block};
}

KernelRun run_kernel(const KernelRow& kernel, const Plan& plan, const Inputs& inputs, bool traced,
                     std::string_view fault) {
  KernelRun run;
  run.error = unsupported(kernel, plan, fault);
  if (!run.error.empty()) {
    run.end = RunEnd::refused;
    return run;
  }
  DeviceResult result = run_on_device(job_of(kernel, plan, inputs, traced, fault));
  run.end = static_cast<RunEnd>(result.end);
  run.error = result.error;
  if (run.end != RunEnd::done) return run;
  run.o = std::move(result.o);
  run.lse = std::move(result.lse);
  if (!traced) return run;
  Converted converted = to_trace(plan, result);
  run.trace = std::move(converted.trace);
  run.malformed = std::move(converted.malformed);
  return run;
}

}  // namespace tilewalk::gpu
