// What every attention kernel of the ladder is given: plain data, no CUDA types, C++17 so that nvcc reads it.
#pragma once

#include <cstdint>

namespace tilewalk::gpu {

// Element type of Q, K, V and O in device memory. Same order as tilewalk::DType (sim/dtype.h is C++20).
enum class DType : std::uint8_t { f16, bf16, f32 };

constexpr std::int64_t size_of(DType type) { return type == DType::f32 ? 4 : 2; }

// A 0/1 matrix over blocks of the score matrix, as in sim/mask.h. The number of ones among blocks
// [r0, r1) x [c0, c1) is a sum of four prefix sums, so one look tells whether a tile is hidden, full or cut.
struct BlockMapParams {
  std::int64_t block_rows = 1, block_cols = 1;  // elements a block covers
  std::int64_t rows = 0, cols = 0;              // blocks
  const std::int64_t* ones_before = nullptr;    // (rows + 1) x (cols + 1), in device memory; null: no map
};

// With D = j - (i + n_kv - n_q), so that the diagonal is aligned at the bottom right, query i sees key j when
// first <= D <= last and the map, if any, has a 1 there. Causal: last = 0. The unbounded values are far
// enough from the ends of the type that a row or key number can be added to them.
struct MaskParams {
  static constexpr std::int64_t unbounded_first = INT64_MIN / 4, unbounded_last = INT64_MAX / 4;
  std::int64_t first = unbounded_first, last = unbounded_last;
  BlockMapParams map;
};

// O = softmax(scale Q K^T, masked) V and L = log-sum-exp of each row of scores, for every batch and head.
// All arrays are contiguous and in device memory:
//   q, o  (batch, heads, n_q, d)        k, v  (batch, kv_heads, n_kv, d)        lse  (batch, heads, n_q)
// Query head h reads key/value head h / (heads / kv_heads). A row that sees no key: O = 0, L = -infinity.
struct KernelParams {
  const void *q = nullptr, *k = nullptr, *v = nullptr;
  void* o = nullptr;
  float* lse = nullptr;  // may be null: then it is not written
  std::int64_t batch = 1, heads = 1, kv_heads = 1;
  std::int64_t n_q = 0, n_kv = 0, d = 0;
  float scale = 1.0f;
  MaskParams mask;
  // What some rungs keep in device memory on the way; null for the others.
  void *scores = nullptr, *weights = nullptr;    // S, P of standard attention: (batch, heads, n_q, n_kv)
  float *row_sum = nullptr, *row_max = nullptr;  // l, m of flash1: (batch, heads, n_q)
};

}  // namespace tilewalk::gpu
