// flash2_mma as a rung of the ladder: run, traced and broken like the others.
#include "gpu/device.cuh"
#include "gpu/flash2_mma.h"

namespace tilewalk::gpu {

void launch_flash2_mma(const DeviceJob& job, const KernelParams& p, Launcher& launcher) {
  const KernelTile tile = flash2_mma_tile(p.d);
  if (tile.block_q == 0) throw DeviceError{JobEnd::refused, "flash2_mma supports --d 1 to 256"};
  const std::int64_t kv_blocks = block_count(p.n_kv, tile.block_kv);
  const std::int64_t ctas = p.batch * p.heads * block_count(p.n_q, tile.block_q);
  const TraceSize size{
      3 + 3 * kv_blocks, kv_blocks, {{tile.block_q, 1}, {tile.block_q, 1}, {tile.block_q, p.d}}};
  launcher.run_queued("flash2", ctas, size, [&](const TraceBuffers* buffers) {
    std::string why;
    if (job.fault == Fault::none) {
      why = launch_flash2_mma(p, job.dtype, nullptr, buffers);
    } else if (buffers) {
      why = launch_broken_flash2_mma(p, job.dtype, job.fault, nullptr, *buffers);
    } else {
      why = "flash2_mma: its broken variants exist traced only, for verify";
    }
    // What the kernel does not take was refused before (unsupported, in kernel_list.cpp).
    if (!why.empty()) throw DeviceError{JobEnd::failed, why};
  });
}

}  // namespace tilewalk::gpu
