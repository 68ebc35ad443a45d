// The library's matrix product, and attention made of it: the baseline that fused kernels are held against.
#pragma once

#include <string>

#include "gpu/params.h"

struct CUstream_st;  // a cudaStream_t points to one

namespace tilewalk::gpu {

// Queues S = scale Q K^T, P = softmax(S), O = P V; params.scores and params.weights hold S and P. Empty when
// queued, else why not, in words. A closed library cannot leave a hidden key out: where V is not finite, 0
// times it reaches rows that do not see it.
[[nodiscard]] std::string launch_standard_cublas(const KernelParams& params, DType type, CUstream_st* stream);

// Queues P = softmax(S) alone.
[[nodiscard]] std::string launch_row_softmax(const KernelParams& params, DType type, CUstream_st* stream);

// Queues C = A B of n x n matrices in 16 bit (f16 or bf16). Empty when queued, else why not.
[[nodiscard]] std::string launch_matmul(const void* a, const void* b, void* c, int n, DType type,
                                        CUstream_st* stream);

}  // namespace tilewalk::gpu
