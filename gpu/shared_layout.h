// Which tiles a CTA of a scalar rung has in shared memory. The host asks for the bytes, the kernel for the
// pointers. C++17 without CUDA types; T may be any type of the element's size.
#pragma once

#include <cstddef>

#include "gpu/tile_params.h"

namespace tilewalk::gpu {

// Hands out shared memory piece by piece. From a null pointer on it only counts.
struct Arena {
  unsigned char* base;
  std::size_t used = 0;

  TILEWALK_BOTH explicit Arena(unsigned char* memory) : base(memory) {}

  template <typename T>
  TILEWALK_BOTH T* take(std::int64_t rows, std::int64_t stride) {
    T* piece = base ? reinterpret_cast<T*>(base + used) : nullptr;
    used += (static_cast<std::size_t>(rows * stride) * sizeof(T) + 15) / 16 * 16;
    return piece;
  }
};

// One 4-byte word more than the row: an even row would put a whole column into few of the 32 banks.
template <typename T>
TILEWALK_BOTH constexpr int padded(std::int64_t cols) {
  return static_cast<int>((cols * static_cast<std::int64_t>(sizeof(T)) + 3) / 4 * 4 + 4) /
         static_cast<int>(sizeof(T));
}

// Rows of S for the softmax of standard attention: whole rows, without padding, so that as many fit as in the
// model.
template <typename T>
struct RowsLayout {
  T* s;
  std::size_t bytes;
  TILEWALK_BOTH RowsLayout(unsigned char* memory, std::int64_t rows, std::int64_t n_kv) {
    Arena arena(memory);
    s = arena.take<T>(rows, n_kv);
    bytes = arena.used;
  }
};

// Everything the other kernels need; each uses a part of it.
template <typename T>
struct TileLayout {
  T *q, *k, *v;
  float *s, *o;
  float *m, *l, *alpha, *beta, *m_tile, *l_tile;  // one number a row
  std::size_t bytes;

  TILEWALK_BOTH TileLayout(unsigned char* memory, const TileParams& tiling, std::int64_t d) {
    Arena arena(memory);
    q = arena.take<T>(tiling.block_q, padded<T>(d));
    k = arena.take<T>(tiling.block_kv, padded<T>(d));
    v = arena.take<T>(tiling.block_kv, padded<T>(d));
    s = arena.take<float>(tiling.block_q, padded<float>(tiling.block_kv));
    o = arena.take<float>(tiling.block_q, padded<float>(d));
    m = arena.take<float>(tiling.block_q, 1);
    l = arena.take<float>(tiling.block_q, 1);
    alpha = arena.take<float>(tiling.block_q, 1);
    beta = arena.take<float>(tiling.block_q, 1);
    m_tile = arena.take<float>(tiling.block_q, 1);
    l_tile = arena.take<float>(tiling.block_q, 1);
    bytes = arena.used;
  }
};

}  // namespace tilewalk::gpu
