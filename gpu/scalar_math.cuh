// What the scalar rungs share: which part of the problem a CTA works on, where its tiles are in global
// memory, and the two products, element by element on the ordinary (not the tensor) cores.
#pragma once

#include "gpu/fault.h"
#include "gpu/mask.cuh"
#include "gpu/shared_layout.h"
#include "gpu/tile_moves.cuh"

namespace tilewalk::gpu {

constexpr int scalar_threads = 256;

// One (batch, head) of the problem and its tiles in global memory. Offsets are 64 bit: tensors may be large.
template <typename T>
struct Instance {
  const KernelParams& p;
  const TileParams& tiling;
  std::int64_t index;

  __device__ std::int64_t kv_index() const {
    return index / p.heads * p.kv_heads + index % p.heads / (p.heads / p.kv_heads);
  }
  __device__ Area area(std::int64_t i, std::int64_t j) const {
    const std::int64_t row = i * tiling.block_q, col = j * tiling.block_kv;
    return {row, col, static_cast<int>(min(static_cast<std::int64_t>(tiling.block_q), p.n_q - row)),
            static_cast<int>(min(static_cast<std::int64_t>(tiling.block_kv), p.n_kv - col))};
  }

  // Tiles of Q and O (n_q x d), of K and V (n_kv x d), of S and P (n_q x n_kv), of l, m and L (n_q x 1).
  template <typename U>
  __device__ Place<U> query_tile(U* tensor, const Area& at) const {
    return {tensor + (index * p.n_q + at.row) * p.d, at.rows, static_cast<int>(p.d), p.d};
  }
  template <typename U>
  __device__ Place<U> key_tile(U* tensor, const Area& at) const {
    return {tensor + (kv_index() * p.n_kv + at.col) * p.d, at.cols, static_cast<int>(p.d), p.d};
  }
  template <typename U>
  __device__ Place<U> score_tile(U* tensor, const Area& at) const {
    return {tensor + (index * p.n_q + at.row) * p.n_kv + at.col, at.rows, at.cols, p.n_kv};
  }
  template <typename U>
  __device__ Place<U> row_tile(U* tensor, const Area& at) const {
    return {tensor + index * p.n_q + at.row, at.rows, 1, 1};
  }

  __device__ Place<const T> q(const Area& at) const { return query_tile(static_cast<const T*>(p.q), at); }
  __device__ Place<const T> k(const Area& at) const { return key_tile(static_cast<const T*>(p.k), at); }
  __device__ Place<const T> v(const Area& at) const { return key_tile(static_cast<const T*>(p.v), at); }
};

// Key blocks of a walk, and the block that comes n-th.
__device__ inline int key_blocks(const KernelParams& p, const TileParams& tiling) {
  return static_cast<int>(block_count(p.n_kv, tiling.block_kv));
}
__device__ inline int key_block(const KernelParams& p, const TileParams& tiling, int n) {
  return tiling.descending ? key_blocks(p, tiling) - 1 - n : n;
}

// The tiles of a CTA in shared memory, by the names of the papers.
template <typename T>
struct SharedTiles {
  Tile<T> q, k, v;
  Tile<float> s, o;
  Tile<float> m, l;  // columns, as they are moved
  float *alpha, *beta, *m_tile, *l_tile;

  __device__ SharedTiles(const TileLayout<T>& at, const TileParams& t, int d)
      : q{at.q, t.block_q, d, padded<T>(d)},
        k{at.k, t.block_kv, d, padded<T>(d)},
        v{at.v, t.block_kv, d, padded<T>(d)},
        s{at.s, t.block_q, t.block_kv, padded<float>(t.block_kv)},
        o{at.o, t.block_q, d, padded<float>(d)},
        m{at.m, t.block_q, 1, 1},
        l{at.l, t.block_q, 1, 1},
        alpha(at.alpha),
        beta(at.beta),
        m_tile(at.m_tile),
        l_tile(at.l_tile) {}
};

template <typename T>
__device__ void fill_tile(const Tile<T>& tile, T value) {
  for (int n = threadIdx.x; n < tile.rows * tile.cols; n += blockDim.x)
    tile(n / tile.cols, n % tile.cols) = value;
}

// S = scale Q K^T, one element a thread at a time. The product is rounded before the maximum is subtracted
// from it: a fused multiply-add would leave a residue at the row maximum, where P must be exactly 1.
template <typename T>
__device__ void multiply_scores(const Tile<float>& s, const Tile<T>& q, const Tile<T>& k, float scale) {
  for (int n = threadIdx.x; n < s.rows * s.cols; n += blockDim.x) {
    const int r = n / s.cols, c = n % s.cols;
    float sum = 0.0f;
    for (int x = 0; x < q.cols; ++x) sum += to_float(q(r, x)) * to_float(k(c, x));
    s(r, c) = __fmul_rn(sum, scale);
  }
}

// A hidden key's weight. It is left out of P V, not multiplied by 0: 0 times a NaN in V would be NaN.
constexpr float no_weight = -1.0f;

// Element (r, x) of P V over the first `keys` keys. P, made from S in place, is rounded as a matrix unit
// reads it.
template <typename T, typename U>
__device__ float weighted_values(const Tile<U>& p, const Tile<T>& v, int r, int x, int keys, float sum) {
  for (int c = 0; c < keys; ++c) {
    const float weight = to_float(p(r, c));
    if (weight != no_weight) sum += rounded<T>(weight) * to_float(v(c, x));
  }
  return sum;
}

// What row r of a tile sees, with the faults that change it.
template <Fault fault>
struct RowView {
  const KernelParams& p;
  const Area& area;
  int block_kv, row;
  bool cut;  // the mask hides a part of the tile

  // Keys to look at: the valid ones. The padding after them holds K = V = 0.
  __device__ int keys() const { return fault == Fault::skip_tail_mask ? block_kv : area.cols; }
  __device__ bool sees(int c) const {
    if (fault == Fault::skip_tail_mask && c >= area.cols) return true;
    constexpr int shift = fault == Fault::causal_off_by_one ? 1 : 0;
    return !cut || gpu::sees(p, area.row + row, area.col + c - shift);
  }
};

// The two builds of a kernel. Body::run is what one CTA does.
template <typename Body>
__global__ void kernel(const KernelParams p, const TileParams tiling) {
  Tracer<false> tracer;
  Body::run(p, tiling, tracer);
}

template <typename Body>
__global__ void traced_kernel(const KernelParams p, const TileParams tiling, const TraceBuffers buffers) {
  Tracer<true> tracer(buffers);
  Body::run(p, tiling, tracer);
}

}  // namespace tilewalk::gpu
