#include "gpu/standard_naive.cuh"

#include "gpu/device.cuh"

namespace tilewalk::gpu {
namespace {

template <typename T, Fault fault>
void run_softmax(const DeviceJob& job, const KernelParams& p, const Grid& grid, Launcher& launcher) {
  using namespace standard_naive;
  TileParams t = job.tiling;
  const std::int64_t kv_blocks = block_count(p.n_kv, t.block_kv);
  if (job.softmax_rows == 0) {
    const TraceSize size{
        3 * kv_blocks, 2 * kv_blocks, {{t.block_q, t.block_kv}, {t.block_q, 1}, {t.block_q, 1}}};
    return launcher.run<SoftmaxTwoPass<T, fault>>("softmax", grid, size, p, t);
  }
  t.block_q = job.softmax_rows;
  const Grid rows_grid{p.batch * p.heads * block_count(p.n_q, t.block_q),
                       RowsLayout<T>(nullptr, t.block_q, p.n_kv).bytes};
  launcher.run<Softmax<T, fault>>("softmax", rows_grid, {2, 1, {{t.block_q, p.n_kv}}}, p, t);
}

}  // namespace

void launch_standard_naive(const DeviceJob& job, const KernelParams& p, Launcher& launcher) {
  using namespace standard_naive;
  const TileParams& t = job.tiling;
  const std::int64_t kv_blocks = block_count(p.n_kv, t.block_kv);
  const auto run = [&](auto element, auto fault) {
    using T = decltype(element);
    constexpr Fault broken = decltype(fault)::value;
    const Grid grid{p.batch * p.heads * block_count(p.n_q, t.block_q), TileLayout<T>(nullptr, t, p.d).bytes};
    launcher.run<Scores<T, broken>>("scores", grid, {1 + 3 * kv_blocks, kv_blocks, {{t.block_q, t.block_kv}}},
                                    p, t);
    run_softmax<T, broken>(job, p, grid, launcher);
    launcher.run<Output<T, Fault::none>>("output", grid, {1 + 2 * kv_blocks, kv_blocks, {{t.block_q, p.d}}},
                                         p, t);
  };
  with_type_and_fault<Fault::causal_off_by_one, Fault::stale_tile, Fault::double_load>(job, run);
}

}  // namespace tilewalk::gpu
