// Launches flash2_mma, from C++ without CUDA headers.
#pragma once

#include <string>

#include "gpu/params.h"
#include "gpu/trace_buffers.h"

struct CUstream_st;  // a cudaStream_t points to one

namespace tilewalk::gpu {

// The tiles the kernel has for a head dimension, and what its traced build keeps of a CTA: m and l (block_q x
// 1) and O (block_q x d) after each tile. {0, 0}: not supported.
struct KernelTile {
  int block_q, block_kv;
};
KernelTile flash2_mma_tile(std::int64_t d);

// Queues the kernel; with `buffers` (in device memory) its traced build. Empty when it is queued; otherwise
// why it is not, in words.
[[nodiscard]] std::string launch_flash2_mma(const KernelParams& params, DType type, CUstream_st* stream,
                                            const TraceBuffers* buffers = nullptr);

}  // namespace tilewalk::gpu
