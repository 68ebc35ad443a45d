// Launches flash2_mma, from C++ without CUDA headers.
#pragma once

#include <string>

#include "gpu/params.h"

struct CUstream_st;  // a cudaStream_t points to one

namespace tilewalk::gpu {

// Queues the kernel. Empty when it is queued; otherwise why not, in words.
[[nodiscard]] std::string launch_flash2_mma(const KernelParams& params, DType type, CUstream_st* stream);

// The tiles the kernel uses for a head dimension: what `--tiling kernel:flash2_mma` takes. {0, 0}: not
// supported.
struct KernelTile {
  int block_q, block_kv;
};
KernelTile flash2_mma_tile(std::int64_t d);

}  // namespace tilewalk::gpu
