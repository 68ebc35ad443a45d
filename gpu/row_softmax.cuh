// P = softmax(S) over whole rows, as fast as device memory allows: the middle kernel of standard_cublas. Each
// element is read once and written once, 16 bytes at a time; between the two a row waits in registers.
#pragma once

#include "gpu/mask.cuh"
#include "gpu/numbers.cuh"

namespace tilewalk::gpu::row_softmax {

constexpr int chunks = 4;  // of 16 bytes, that a thread holds
constexpr int most_threads = 512;

template <typename T>
constexpr int chunk_size = 16 / sizeof(T);

template <typename T>
union Chunk {
  uint4 bits;
  T values[chunk_size<T>];
  __device__ Chunk() : bits{} {}
};

// Keys [first, end) are the band that query i sees; a block map, if any, leaves a part of it.
struct Band {
  int first, end;

  __device__ Band(const KernelParams& p, std::int64_t i) {
    const std::int64_t diagonal = i + p.n_kv - p.n_q, none = 0;
    first = static_cast<int>(min(max(diagonal + p.mask.first, none), p.n_kv));
    end = static_cast<int>(max(min(diagonal + p.mask.last + 1, p.n_kv), none));
  }
  __device__ bool shows(int j) const { return j >= first && j < end; }
};

// Joins a value of every thread of the row. Rows have one warp, or the whole CTA.
template <typename Join>
__device__ float over_row(float x, float identity, Join join) {
  for (int lanes = 16; lanes > 0; lanes /= 2) x = join(x, __shfl_xor_sync(0xffffffffu, x, lanes));
  if (blockDim.x == 32) return x;
  __shared__ float of_warp[32];
  __syncthreads();  // nobody still reads the last values
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
  __syncthreads();
  x = threadIdx.x % 32 < blockDim.x / 32 ? of_warp[threadIdx.x % 32] : identity;
  for (int lanes = 16; lanes > 0; lanes /= 2) x = join(x, __shfl_xor_sync(0xffffffffu, x, lanes));
  return x;
}
__device__ inline float row_max(float x) {
  return over_row(x, minus_infinity(), [](float a, float b) { return larger(a, b); });
}
__device__ inline float row_sum(float x) {
  return over_row(x, 0.0f, [](float a, float b) { return a + b; });
}

template <typename T, bool Aligned>
__device__ Chunk<T> read(const T* from, int left) {
  Chunk<T> chunk;
  if constexpr (Aligned) {
    chunk.bits = __ldcs(reinterpret_cast<const uint4*>(from));
  } else {
#pragma unroll
    for (int e = 0; e < chunk_size<T>; ++e)
      chunk.values[e] = e < left ? __ldcs(from + e) : from_float<T>(0.0f);
  }
  return chunk;
}

template <typename T, bool Aligned>
__device__ void write(T* to, const Chunk<T>& chunk, int left) {
  if constexpr (Aligned) {
    *reinterpret_cast<uint4*>(to) = chunk.bits;
  } else {
#pragma unroll
    for (int e = 0; e < chunk_size<T>; ++e) {
      if (e < left) to[e] = chunk.values[e];
    }
  }
}

// One instruction each. NaN wins, as it must reach the row's result.
__device__ inline float larger_of(float a, float b) {
  float c;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
  return c;
}
__device__ inline float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// A row in registers: n_kv <= chunks * chunk_size * blockDim.x. blockDim.y rows a CTA, when they have a warp.
template <typename T, bool Aligned, bool Masked>
__global__ void __launch_bounds__(most_threads)
    softmax_in_registers(const KernelParams p, std::int64_t rows) {
  const std::int64_t row = blockIdx.x * std::int64_t{blockDim.y} + threadIdx.y;
  if (row >= rows) return;  // a whole warp leaves
  constexpr int size = chunk_size<T>;
  const T* s = static_cast<const T*>(p.scores) + row * p.n_kv;
  T* weights = static_cast<T*>(p.weights) + row * p.n_kv;
  const int n_kv = static_cast<int>(p.n_kv), first = threadIdx.x * size, apart = blockDim.x * size;

  float x[chunks][size];
  float m = minus_infinity();
#pragma unroll
  for (int n = 0; n < chunks; ++n) {
    Chunk<T> chunk;
    const int j = first + n * apart, valid = min(max(n_kv - j, 0), size);
    if (valid > 0) chunk = read<T, Aligned>(s + j, valid);
#pragma unroll
    for (int e = 0; e < size; ++e) x[n][e] = e < valid ? to_float(chunk.values[e]) : minus_infinity();
  }
  if constexpr (Masked) {
    const std::int64_t i = row % p.n_q;
    const Band band(p, i);
    const bool mapped = p.mask.map.ones_before != nullptr;
#pragma unroll
    for (int n = 0; n < chunks; ++n) {
#pragma unroll
      for (int e = 0; e < size; ++e) {
        const int j = first + n * apart + e;
        if (!band.shows(j)) x[n][e] = minus_infinity();
        if (mapped && band.shows(j) && !sees(p, i, j)) x[n][e] = minus_infinity();
      }
    }
  }
#pragma unroll
  for (int n = 0; n < chunks; ++n) {
#pragma unroll
    for (int e = 0; e < size; ++e) m = larger_of(m, x[n][e]);
  }
  constexpr float log2_e = 1.4426950408889634f;
  const float base = base_of(row_max(m)) * log2_e;
  float l = 0.0f;
#pragma unroll
  for (int n = 0; n < chunks; ++n) {
#pragma unroll
    for (int e = 0; e < size; ++e) {
      x[n][e] = exp2_approx(x[n][e] * log2_e - base);
      l += x[n][e];
    }
  }
  l = row_sum(l);
  const float inverse = l == 0.0f ? 0.0f : 1.0f / l;
#pragma unroll
  for (int n = 0; n < chunks; ++n) {
    const int j = first + n * apart, valid = min(n_kv - j, size);
    if (valid <= 0) break;
    Chunk<T> chunk;
#pragma unroll
    for (int e = 0; e < size; ++e) chunk.values[e] = from_float<T>(x[n][e] * inverse);
    write<T, Aligned>(weights + j, chunk, valid);
  }
}

// Longer rows are read three times. One CTA a row.
template <typename T>
__global__ void __launch_bounds__(1024) softmax_of_long_rows(const KernelParams p) {
  const std::int64_t row = blockIdx.x;
  const std::int64_t i = row % p.n_q;
  const Band band(p, i);
  const T* s = static_cast<const T*>(p.scores) + row * p.n_kv;
  T* weights = static_cast<T*>(p.weights) + row * p.n_kv;
  float m = minus_infinity(), l = 0.0f;
  for (std::int64_t j = band.first + threadIdx.x; j < band.end; j += blockDim.x) {
    if (sees(p, i, j)) m = larger(m, to_float(s[j]));
  }
  m = row_max(m);
  for (std::int64_t j = band.first + threadIdx.x; j < band.end; j += blockDim.x) {
    if (sees(p, i, j)) l += exp_flushed(to_float(s[j]) - base_of(m));
  }
  l = row_sum(l);
  for (std::int64_t j = threadIdx.x; j < p.n_kv; j += blockDim.x) {
    const float weight = sees(p, i, j) ? exp_flushed(to_float(s[j]) - base_of(m)) : 0.0f;
    weights[j] = from_float<T>(l == 0.0f ? 0.0f : weight / l);
  }
}

}  // namespace tilewalk::gpu::row_softmax
