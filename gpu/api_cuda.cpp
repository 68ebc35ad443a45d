// Built where there is a CUDA compiler: plans and inputs become jobs for the device, and results come back.
#include <algorithm>

#include "gpu/api.h"
#include "gpu/convert.h"
#include "gpu/device_bench.h"
#include "gpu/device_counters.h"
#include "gpu/device_job.h"
#include "sim/error.h"

namespace tilewalk::gpu {
namespace {

constexpr std::pair<std::string_view, Rung> rungs[] = {{"standard_naive", Rung::standard_naive},
                                                       {"standard_cublas", Rung::standard_cublas},
                                                       {"flash1_scalar", Rung::flash1_scalar},
                                                       {"flash2_scalar", Rung::flash2_scalar},
                                                       {"flash2_mma", Rung::flash2_mma}};

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

// Without inputs the device makes random ones.
DeviceJob job_of(const KernelRow& kernel, const Plan& plan, const Inputs* inputs, std::string_view fault) {
  const Problem& p = plan.problem();
  const Tiling& t = plan.config.tiling;
  DeviceJob job;
  job.rung = find(rungs, kernel.name)->second;
  job.dtype = static_cast<DType>(p.dtype);
  job.fault = find(faults, fault)->second;
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
  if (!inputs) return job;
  job.q = inputs->q.data();
  job.k = inputs->k.data();
  job.v = inputs->v.data();
  return job;
}

template <typename Result>
Result refused(const std::string& why) {
  Result result;
  result.end = RunEnd::refused;
  result.error = why;
  return result;
}

std::string refusal(const KernelRow& kernel, const Plan& plan, std::string_view fault) {
  return unsupported(kernel, plan.problem(), plan.config.tiling, fault);
}

Counters counters_of(const Reading& r) {
  return {r.dram_read,  r.dram_write, r.l2_read,     r.l2_write,    r.into_sms,
          r.out_of_sms, r.shared,     r.spill_loads, r.spill_stores};
}

}  // namespace

DeviceInfo device_info() {
  const DeviceFacts f = device_facts();
  return {f.present, f.reason, f.name,   f.driver,      f.runtime, f.toolkit,         f.major,
          f.minor,   f.sms,    f.memory, f.free_memory, f.l2,      f.shared_per_block};
}

KernelRun run_kernel(const KernelRow& kernel, const Plan& plan, const Inputs& inputs, bool traced,
                     std::string_view fault) {
  if (const std::string why = refusal(kernel, plan, fault); !why.empty()) return refused<KernelRun>(why);
  DeviceJob job = job_of(kernel, plan, &inputs, fault);
  job.traced = traced;
  DeviceResult result = run_on_device(job);
  KernelRun run;
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

Repeats repeat_kernel(const KernelRow& kernel, const Plan& plan, const Inputs& inputs, int repeats) {
  if (const std::string why = refusal(kernel, plan, ""); !why.empty()) return refused<Repeats>(why);
  const RepeatResult result = repeat_on_device(job_of(kernel, plan, &inputs, ""), repeats);
  return {static_cast<RunEnd>(result.end), result.error, result.different};
}

CounterRun count_kernel(const KernelRow& kernel, const Plan& plan) {
  if (const std::string why = refusal(kernel, plan, ""); !why.empty()) return refused<CounterRun>(why);
  const CounterResult result = count_on_device(job_of(kernel, plan, nullptr, ""));
  return {static_cast<RunEnd>(result.end), result.error, counters_of(result.cold), counters_of(result.warm)};
}

BenchRun time_kernels(std::span<const KernelRow* const> rows,
                      std::span<const std::shared_ptr<const Plan>> plans, int rounds, double most_seconds) {
  BenchJob job;
  job.most_rounds = rounds;
  job.most_seconds = most_seconds;
  BenchRun run;
  std::vector<std::size_t> places;  // of the contestants that take the problem
  for (std::size_t n = 0; n < rows.size(); ++n) {
    run.kernels.push_back({refusal(*rows[n], *plans[n], ""), {}});
    if (!run.kernels.back().refusal.empty()) continue;
    job.contestants.push_back(job_of(*rows[n], *plans[n], nullptr, ""));
    places.push_back(n);
  }
  if (job.contestants.empty()) return run;
  BenchResult result = bench_on_device(job);
  run.end = static_cast<RunEnd>(result.end);
  run.error = result.error;
  run.input_sets = result.input_sets;
  if (run.end != RunEnd::done) return run;
  for (std::size_t n = 0; n < places.size(); ++n) {
    run.kernels[places[n]] = {result.contestants[n].refusal, std::move(result.contestants[n].seconds)};
  }
  return run;
}

DeviceBest measure_device(tilewalk::DType type) {
  DeviceRates r = rates_of_device(static_cast<DType>(type));
  DeviceBest best{static_cast<RunEnd>(r.end),
                  r.error,
                  std::move(r.matmul_seconds),
                  std::move(r.copy_seconds),
                  r.matmul_flops,
                  r.copy_bytes,
                  {}};
  for (SoftmaxRate& rate : r.softmax) best.softmax.push_back({rate.n, rate.bytes, std::move(rate.seconds)});
  return best;
}

}  // namespace tilewalk::gpu
