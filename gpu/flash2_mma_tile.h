// The tiles that flash2_mma is built for. C++17 without CUDA types: the host plans with them, too.
#pragma once

#include <cstdint>

namespace tilewalk::gpu {

// Br x Bc. {0, 0}: no head dimension of the kernel.
struct KernelTile {
  int block_q, block_kv;
};

// As many keys as the registers of a CTA allow for O and S of 128 queries.
constexpr KernelTile flash2_mma_tile(std::int64_t d) {
  if (d < 1 || d > 256) return {0, 0};
  return {128, d <= 64 ? 128 : d <= 128 ? 64 : 32};
}

}  // namespace tilewalk::gpu
