// Chooses the instance of flash2_mma for a problem, and its grid.
#include "gpu/flash2_mma.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "gpu/flash2_mma.cuh"

namespace tilewalk::gpu {
namespace {

using flash2_mma::Schedule;
using flash2_mma::Tiles;

constexpr std::int64_t most_index =
    INT32_MAX;  // sequences are walked with 32-bit, memory with 64-bit numbers

std::string refusal(const KernelParams& p, DType type) {
  const auto number = [](std::int64_t x) { return std::to_string(x); };
  if (type == DType::f32)
    return "flash2_mma: f32 is not supported by its tensor cores; use f16 or bf16, or flash2_scalar";
  if (p.d < 1 || p.d > 256)
    return "flash2_mma: head dimension " + number(p.d) + " is not supported; use 1 to 256";
  if (p.batch < 0 || p.heads < 1 || p.kv_heads < 1 || p.n_q < 0 || p.n_kv < 0)
    return "flash2_mma: a size is negative or there are no heads";
  if (p.heads % p.kv_heads != 0) {
    return "flash2_mma: kv_heads = " + number(p.kv_heads) + " does not divide heads = " + number(p.heads);
  }
  if (p.n_q > most_index - 1024 || p.n_kv > most_index - 1024) {
    return "flash2_mma: a sequence of " + number(std::max(p.n_q, p.n_kv)) +
           " is too long; it takes less than 2^31 - 1024";
  }
  return "";
}

bool rows_aligned(const KernelParams& p) {
  const auto aligned = [](const void* x) { return reinterpret_cast<std::uintptr_t>(x) % 16 == 0; };
  return p.d % 8 == 0 && aligned(p.q) && aligned(p.k) && aligned(p.v) && aligned(p.o);
}

template <typename Tiles>
Schedule schedule_for(const KernelParams& p) {
  constexpr std::int64_t l2_share = 24 << 20;  // of K and V, that CTAs running together may hold in the L2
  Schedule s{};
  s.query_tiles = static_cast<unsigned>((p.n_q + Tiles::queries - 1) / Tiles::queries);
  s.instances = static_cast<unsigned>(p.batch * p.heads);
  s.heads_per_kv_head = static_cast<unsigned>(p.heads / p.kv_heads);
  s.last_tile_first = p.mask.last != MaskParams::unbounded_last;
  s.instances_together = 1;
  if (s.last_tile_first) {
    const std::int64_t fit = l2_share / std::max<std::int64_t>(1, 2 * 2 * p.n_kv * p.d) * s.heads_per_kv_head;
    s.instances_together = static_cast<unsigned>(std::clamp<std::int64_t>(fit, 1, s.instances));
  }
  s.aligned = rows_aligned(p);
  s.full_rows = s.aligned && p.d == Tiles::head_dim;
  s.whole_tiles = s.full_rows ? static_cast<int>(p.n_kv / Tiles::keys) : 0;
  // With a scale of 0 all visible keys count the same; so they do with the smallest scale, and -infinity
  // times it is not NaN.
  s.scale_log2 =
      std::max(static_cast<float>(std::fabs(static_cast<double>(p.scale)) * 1.4426950408889634), FLT_MIN);
  s.negate = p.scale < 0;
  return s;
}

template <typename T, int HeadDim, bool Mapped>
std::string launch(const KernelParams& p, CUstream_st* stream) {
  using Tiles = Tiles<HeadDim>;
  const std::int64_t ctas = p.batch * p.heads * ((p.n_q + Tiles::queries - 1) / Tiles::queries);
  if (ctas == 0) return "";
  if (ctas > most_index)
    return "flash2_mma: " + std::to_string(ctas) + " blocks of queries are more than one launch takes";
  const auto kernel = flash2_mma::flash2_mma<T, HeadDim, Mapped, false>;
  cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tiles::shared_bytes);
  if (error == cudaSuccess) {
    kernel<<<static_cast<unsigned>(ctas), Tiles::threads, Tiles::shared_bytes, stream>>>(
        p, schedule_for<Tiles>(p));
    error = cudaGetLastError();
  }
  return error == cudaSuccess ? "" : std::string("flash2_mma: ") + cudaGetErrorString(error);
}

template <typename T, int HeadDim>
std::string launch_masked(const KernelParams& p, CUstream_st* stream) {
#ifndef TW_FEW
  if (p.mask.map.ones_before) return launch<T, HeadDim, true>(p, stream);
#endif
  return launch<T, HeadDim, false>(p, stream);
}

template <typename T>
std::string launch_sized(const KernelParams& p, CUstream_st* stream) {
  if (p.d <= 64) return launch_masked<T, 64>(p, stream);
#ifndef TW_FEW
  if (p.d > 128) return launch_masked<T, 256>(p, stream);
#endif
  return launch_masked<T, 128>(p, stream);
}

}  // namespace

std::string launch_flash2_mma(const KernelParams& params, DType type, CUstream_st* stream) {
  if (std::string why = refusal(params, type); !why.empty()) return why;
#ifndef TW_FEW
  if (type == DType::f16) return launch_sized<__half>(params, stream);
#endif
  return launch_sized<__nv_bfloat16>(params, stream);
}

KernelTile flash2_mma_tile(std::int64_t d) {
  if (d < 1 || d > 256) return {0, 0};
  if (d <= 64) return {Tiles<64>::queries, Tiles<64>::keys};
  if (d <= 128) return {Tiles<128>::queries, Tiles<128>::keys};
  return {Tiles<256>::queries, Tiles<256>::keys};
}

}  // namespace tilewalk::gpu
