// How flash2_mma is launched: refusals, the numbers of a problem's schedule, and the launch of one instance.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>

#include "gpu/flash2_mma.cuh"
#include "gpu/flash2_mma.h"

namespace tilewalk::gpu::flash2_mma {

// Sequences are walked with 32-bit, memory with 64-bit numbers.
constexpr std::int64_t most_ctas = INT32_MAX, longest_sequence = INT32_MAX - 1024;

inline std::string refusal(const KernelParams& p, DType type) {
  const std::string name = "flash2_mma: ", d = std::to_string(p.d);
  if (type == DType::f32) return name + "its tensor cores take no f32; use f16 or bf16, or flash2_scalar";
  if (p.d < 1 || p.d > 256) return name + "head dimension " + d + " is not supported; use 1 to 256";
  if (p.batch < 0 || p.heads < 1 || p.kv_heads < 1 || p.n_q < 0 || p.n_kv < 0) {
    return name + "a size is negative, or there are no heads";
  }
  if (p.heads % p.kv_heads != 0) {
    return name + std::to_string(p.kv_heads) + " key/value heads do not divide " + std::to_string(p.heads) +
           " heads";
  }
  if (const std::int64_t n = std::max(p.n_q, p.n_kv); n > longest_sequence) {
    return name + "a sequence of " + std::to_string(n) + " is longer than " +
           std::to_string(longest_sequence);
  }
  return "";
}

inline bool rows_aligned(const KernelParams& p) {
  const auto aligned = [](const void* x) { return reinterpret_cast<std::uintptr_t>(x) % 16 == 0; };
  return p.d % 8 == 0 && aligned(p.q) && aligned(p.k) && aligned(p.v) && aligned(p.o);
}

// Instances whose K and V take a share of the L2 that leaves room for the rest.
inline unsigned instances_together(const KernelParams& p) {
  constexpr std::int64_t share = 8 << 20;
  const std::int64_t bytes_of_one = std::max<std::int64_t>(1, 2 * 2 * p.n_kv * p.d);
  const std::int64_t fit = share / bytes_of_one * (p.heads / p.kv_heads);
  return static_cast<unsigned>(std::clamp<std::int64_t>(fit, 1, p.batch * p.heads));
}

template <typename Tiles>
Schedule schedule_for(const KernelParams& p, bool traced) {
  const bool causal = p.mask.last != MaskParams::unbounded_last;
  Schedule s{};
  s.query_tiles = static_cast<unsigned>((p.n_q + Tiles::queries - 1) / Tiles::queries);
  s.instances = static_cast<unsigned>(p.batch * p.heads);
  s.heads_per_kv_head = static_cast<unsigned>(p.heads / p.kv_heads);
  s.last_tile_first = causal && !traced;
  s.instances_together = s.last_tile_first ? instances_together(p) : 1;
  s.aligned = rows_aligned(p);
  s.full_rows = s.aligned && p.d == Tiles::head_dim;
  s.whole_tiles = s.full_rows ? static_cast<int>(p.n_kv / Tiles::keys) : 0;
  s.negate = p.scale < 0;
  // With a scale of 0 all visible keys weigh the same. They do with the smallest scale too, and -infinity
  // times that is not NaN.
  const double scale_log2 = std::fabs(static_cast<double>(p.scale)) * 1.4426950408889634;
  s.scale_log2 = std::max(static_cast<float>(scale_log2), FLT_MIN);
  return s;
}

template <typename... Args>
std::string launch(void (*kernel)(Args...), std::int64_t ctas, int threads, int shared_bytes,
                   CUstream_st* stream, const Args&... args) {
  cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
  if (error == cudaSuccess) {
    kernel<<<static_cast<unsigned>(ctas), threads, shared_bytes, stream>>>(args...);
    error = cudaGetLastError();
  }
  return error == cudaSuccess ? "" : std::string("flash2_mma: ") + cudaGetErrorString(error);
}

template <typename T, int HeadDim, bool Mapped, Fault fault = Fault::none>
std::string launch_one(const KernelParams& p, CUstream_st* stream, const TraceBuffers* buffers) {
  using Tiles = Tiles<HeadDim>;
  const Schedule schedule = schedule_for<Tiles>(p, buffers != nullptr);
  const std::int64_t ctas = p.batch * p.heads * ((p.n_q + Tiles::queries - 1) / Tiles::queries);
  if (ctas == 0) return "";
  if (ctas > most_ctas) {
    return "flash2_mma: " + std::to_string(ctas) + " blocks of queries are more than one launch takes";
  }
  if (buffers) {
    return launch<KernelParams, Schedule, TraceBuffers>(traced_flash2_mma<T, HeadDim, Mapped, fault>, ctas,
                                                        Tiles::threads, Tiles::shared_bytes, stream, p,
                                                        schedule, *buffers);
  }
  if constexpr (fault != Fault::none) return "flash2_mma: its broken variants exist traced only";
  return launch<KernelParams, Schedule>(flash2_mma<T, HeadDim, Mapped>, ctas, Tiles::threads,
                                        Tiles::shared_bytes, stream, p, schedule);
}

}  // namespace tilewalk::gpu::flash2_mma
