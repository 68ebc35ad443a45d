// Launches flash2_mma, from C++ without CUDA headers.
#pragma once

#include <string>

#include "gpu/fault.h"
#include "gpu/flash2_mma_tile.h"
#include "gpu/params.h"
#include "gpu/trace_buffers.h"

struct CUstream_st;  // a cudaStream_t points to one

namespace tilewalk::gpu {

// Queues the kernel; with `buffers` (in device memory) its traced build, which keeps m and l (block_q x 1)
// and O (block_q x d) after each tile. Empty when it is queued; otherwise why it is not, in words.
[[nodiscard]] std::string launch_flash2_mma(const KernelParams& params, DType type, CUstream_st* stream,
                                            const TraceBuffers* buffers = nullptr);

// The same with a fault.
[[nodiscard]] std::string launch_broken_flash2_mma(const KernelParams& params, DType type, Fault fault,
                                                   CUstream_st* stream, const TraceBuffers& buffers);

}  // namespace tilewalk::gpu
