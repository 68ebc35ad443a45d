#include "gpu/flash1_scalar.cuh"

#include "gpu/device.cuh"

namespace tilewalk::gpu {

void launch_flash1_scalar(const DeviceJob& job, const KernelParams& p, Launcher& launcher) {
  using namespace flash1_scalar;
  const TileParams& t = job.tiling;
  const std::int64_t q_blocks = block_count(p.n_q, t.block_q), kv_blocks = block_count(p.n_kv, t.block_kv);
  const auto run = [&](auto element, auto fault) {
    using T = decltype(element);
    constexpr Fault broken = decltype(fault)::value;
    const std::size_t shared = TileLayout<T>(nullptr, t, p.d).bytes;
    launcher.run<Init<T, Fault::none>>("init", {p.batch * p.heads * q_blocks, shared}, {3, 0, {}}, p, t);
    const TraceSize size{kv_blocks * (3 + 7 * q_blocks),
                         kv_blocks * q_blocks,
                         {{t.block_q, p.d}, {t.block_q, 1}, {t.block_q, 1}}};
    launcher.run<Flash1<T, broken>>("flash1", {p.batch * p.heads, shared}, size, p, t);
  };
  with_type_and_fault<Fault::no_rescale, Fault::per_tile_softmax, Fault::skip_tail_mask,
                      Fault::causal_off_by_one, Fault::stale_tile, Fault::double_load,
                      Fault::missing_barrier>(job, run);
}

}  // namespace tilewalk::gpu
