#include "gpu/flash2_scalar.cuh"

#include "gpu/device.cuh"

namespace tilewalk::gpu {

void launch_flash2_scalar(const DeviceJob& job, const KernelParams& p, Launcher& launcher) {
  using namespace flash2_scalar;
  const TileParams& t = job.tiling;
  const std::int64_t kv_blocks = block_count(p.n_kv, t.block_kv);
  const auto run = [&](auto element, auto fault) {
    using T = decltype(element);
    constexpr Fault broken = decltype(fault)::value;
    const Grid grid{p.batch * p.heads * block_count(p.n_q, t.block_q), TileLayout<T>(nullptr, t, p.d).bytes};
    const TraceSize size{3 + 3 * kv_blocks, kv_blocks, {{t.block_q, 1}, {t.block_q, 1}, {t.block_q, p.d}}};
    launcher.run<Flash2<T, broken>>("flash2", grid, size, p, t);
  };
  with_type_and_fault<Fault::no_rescale, Fault::per_tile_softmax, Fault::skip_tail_mask,
                      Fault::causal_off_by_one, Fault::stale_tile, Fault::double_load,
                      Fault::missing_barrier>(job, run);
}

}  // namespace tilewalk::gpu
