// standard_naive: attention as the formula says it, in three kernels. S and P, n_q x n_kv each, go through
// device memory between them; a mask saves nothing.
#pragma once

#include "gpu/scalar_math.cuh"

namespace tilewalk::gpu::standard_naive {

// S = scale Q K^T. A CTA owns a block of queries and walks the key blocks.
template <typename T, Fault fault>
struct Scores {
  template <bool On>
  static __device__ void run(const KernelParams& p, const TileParams& tiling, Tracer<On>& tracer) {
    extern __shared__ __align__(16) unsigned char memory[];
    const SharedTiles<T> tile(TileLayout<T>(memory, tiling, p.d), tiling, static_cast<int>(p.d));
    const std::int64_t q_blocks = block_count(p.n_q, tiling.block_q);
    const Instance<T> head{p, tiling, blockIdx.x / q_blocks};
    const int i = static_cast<int>(blockIdx.x % q_blocks);

    load_tile(tracer, tile.q, head.q(head.area(i, 0)));
    for (int n = 0; n < key_blocks(p, tiling); ++n) {
      const int j = key_block(p, tiling, n);
      const Area area = head.area(i, j);
      if (!(fault == Fault::stale_tile && n == 1)) load_tile(tracer, tile.k, head.k(area));
      if (fault == Fault::double_load && n == 1) load_tile(tracer, tile.k, head.k(area));
      __syncthreads();  // Q and K are there
      multiply_scores(tile.s, tile.q, tile.k, p.scale);
      __syncthreads();  // S is complete, and nobody reads K any more
      store_tile(tracer, head.score_tile(static_cast<T*>(p.scores), area), tile.s);
      if constexpr (On) {
        tracer.at_tile(i, j);
        keep_tile(tracer, 0, tile.s, area.rows, area.cols);
      }
      // The next S is written after the next barrier, so no other is needed here.
    }
  }
};

// The sum or maximum over a warp's 32 lanes.
template <typename Join>
__device__ float over_warp(float x, Join join) {
  for (int lanes = 16; lanes > 0; lanes /= 2) x = join(x, __shfl_xor_sync(0xffffffffu, x, lanes));
  return x;
}

// P = softmax(S) of one row in shared memory, by one warp.
template <typename T, Fault fault>
__device__ void softmax_row(const Tile<T>& s, const RowView<fault>& row) {
  const int r = row.row, lane = threadIdx.x % 32;
  float m = minus_infinity(), l = 0.0f;
  for (int c = lane; c < row.keys(); c += 32) {
    if (row.sees(c)) m = larger(m, to_float(s(r, c)));
  }
  m = over_warp(m, [](float a, float b) { return larger(a, b); });
  for (int c = lane; c < row.keys(); c += 32) {
    if (row.sees(c)) l += exp_flushed(to_float(s(r, c)) - base_of(m));
  }
  l = over_warp(l, [](float a, float b) { return a + b; });
  for (int c = lane; c < row.keys(); c += 32) {
    const float weight = row.sees(c) ? exp_flushed(to_float(s(r, c)) - base_of(m)) : 0.0f;
    s(r, c) = from_float<T>(l == 0.0f ? weight : weight / l);
  }
}

// P = softmax(S), for as many whole rows (tiling.block_q) as fit in shared memory.
template <typename T, Fault fault>
struct Softmax {
  template <bool On>
  static __device__ void run(const KernelParams& p, const TileParams& tiling, Tracer<On>& tracer) {
    extern __shared__ __align__(16) unsigned char memory[];
    const int all_keys = static_cast<int>(p.n_kv);
    const Tile<T> s{RowsLayout<T>(memory, tiling.block_q, p.n_kv).s, tiling.block_q, all_keys, all_keys};
    const std::int64_t q_blocks = block_count(p.n_q, tiling.block_q);
    const Instance<T> head{p, tiling, blockIdx.x / q_blocks};
    const int i = static_cast<int>(blockIdx.x % q_blocks);
    const Area area{static_cast<std::int64_t>(i) * tiling.block_q, 0, head.area(i, 0).rows, all_keys};

    load_tile(tracer, s, head.score_tile(static_cast<const T*>(p.scores), area));
    __syncthreads();  // S is there
    const bool cut = !fills(p, area);
    for (int r = threadIdx.x / 32; r < area.rows; r += blockDim.x / 32) {
      softmax_row(s, RowView<fault>{p, area, all_keys, r, cut});
    }
    __syncthreads();  // P is complete
    store_tile(tracer, head.score_tile(static_cast<T*>(p.weights), area), s);
    if constexpr (On) {
      tracer.at_tile(i, 0);
      keep_tile(tracer, 0, s, area.rows, area.cols);
    }
  }
};

// m and l of one row take in one more tile of it, which becomes exp(S - m) as far as m is known.
template <typename T, Fault fault>
__device__ void add_to_statistics(const Tile<T>& s, float& m, float& l, const RowView<fault>& row) {
  float m_new = m, sum = 0.0f;
  for (int c = 0; c < row.keys(); ++c) {
    if (row.sees(c)) m_new = larger(m_new, to_float(s(row.row, c)));
  }
  for (int c = 0; c < row.keys(); ++c) {
    const float weight = row.sees(c) ? exp_flushed(to_float(s(row.row, c)) - base_of(m_new)) : 0.0f;
    sum += weight;
    s(row.row, c) = from_float<T>(weight);
  }
  l = exp_flushed(m - base_of(m_new)) * l + sum;
  m = m_new;
}

// The same where not even one row fits: S is read twice, first for m and l, then for P. One thread a row.
template <typename T, Fault fault>
struct SoftmaxTwoPass {
  template <bool On>
  static __device__ void run(const KernelParams& p, const TileParams& tiling, Tracer<On>& tracer) {
    extern __shared__ __align__(16) unsigned char memory[];
    const TileLayout<T> layout(memory, tiling, p.d);
    const Tile<T> s{reinterpret_cast<T*>(layout.s), tiling.block_q, tiling.block_kv,
                    padded<T>(tiling.block_kv)};
    const SharedTiles<T> tile(layout, tiling, static_cast<int>(p.d));
    const std::int64_t q_blocks = block_count(p.n_q, tiling.block_q);
    const Instance<T> head{p, tiling, blockIdx.x / q_blocks};
    const int i = static_cast<int>(blockIdx.x % q_blocks), r = threadIdx.x;

    fill_tile(tile.m, minus_infinity());
    fill_tile(tile.l, 0.0f);
    for (int pass = 0; pass < 2; ++pass) {
      for (int n = 0; n < key_blocks(p, tiling); ++n) {
        const int j = key_block(p, tiling, n);
        const Area area = head.area(i, j);
        load_tile(tracer, s, head.score_tile(static_cast<const T*>(p.scores), area));
        __syncthreads();  // S is there
        const RowView<fault> row{p, area, tiling.block_kv, r, !fills(p, area)};
        if (pass == 0 && r < area.rows) add_to_statistics(s, tile.m(r, 0), tile.l(r, 0), row);
        for (int c = 0; pass == 1 && r < area.rows && c < area.cols; ++c) {
          const float l = tile.l(r, 0);
          const float weight = row.sees(c) ? exp_flushed(to_float(s(r, c)) - base_of(tile.m(r, 0))) : 0.0f;
          s(r, c) = from_float<T>(l == 0.0f ? weight : weight / l);
        }
        __syncthreads();  // m and l, or P, are complete
        if (pass == 1) store_tile(tracer, head.score_tile(static_cast<T*>(p.weights), area), s);
        if constexpr (On) {
          tracer.at_tile(i, j);
          for (int x = threadIdx.x; x < area.rows * area.cols; x += blockDim.x) {
            tracer.keep(0, x / area.cols, x % area.cols, to_float(s(x / area.cols, x % area.cols)));
          }
          keep_tile(tracer, 1, tile.m, area.rows, 1);
          keep_tile(tracer, 2, tile.l, area.rows, 1);
        }
        __syncthreads();  // S may be overwritten
      }
    }
  }
};

// O = P V. A CTA owns a block of queries and walks the key blocks.
template <typename T, Fault fault>
struct Output {
  template <bool On>
  static __device__ void run(const KernelParams& p, const TileParams& tiling, Tracer<On>& tracer) {
    extern __shared__ __align__(16) unsigned char memory[];
    const TileLayout<T> layout(memory, tiling, p.d);
    const SharedTiles<T> tile(layout, tiling, static_cast<int>(p.d));
    const Tile<T> weights{reinterpret_cast<T*>(layout.s), tiling.block_q, tiling.block_kv,
                          padded<T>(tiling.block_kv)};
    const std::int64_t q_blocks = block_count(p.n_q, tiling.block_q);
    const Instance<T> head{p, tiling, blockIdx.x / q_blocks};
    const int i = static_cast<int>(blockIdx.x % q_blocks);
    const Area rows = head.area(i, 0);

    fill_tile(tile.o, 0.0f);
    for (int n = 0; n < key_blocks(p, tiling); ++n) {
      const int j = key_block(p, tiling, n);
      const Area area = head.area(i, j);
      load_tile(tracer, weights, head.score_tile(static_cast<const T*>(p.weights), area));
      load_tile(tracer, tile.v, head.v(area));
      __syncthreads();  // P and V are there, and at first O = 0
      const bool cut = !fills(p, area);
      for (int x = threadIdx.x; x < area.rows * tile.o.cols; x += blockDim.x) {
        const int r = x / tile.o.cols, c = x % tile.o.cols;
        const RowView<Fault::none> row{p, area, tiling.block_kv, r, cut};
        float sum = tile.o(r, c);
        for (int key = 0; key < area.cols; ++key) {
          // P of a hidden key is 0, and so is left out: 0 times a NaN in V would be NaN.
          if (row.sees(key)) sum += to_float(weights(r, key)) * to_float(tile.v(key, c));
        }
        tile.o(r, c) = sum;
      }
      __syncthreads();  // O is complete; P and V may be overwritten
      if constexpr (On) {
        tracer.at_tile(i, j);
        keep_tile(tracer, 0, tile.o, area.rows, tile.o.cols);
      }
    }
    __syncthreads();  // without keys O is still to be shown to all
    store_tile(tracer, head.query_tile(static_cast<T*>(p.o), rows), tile.o);
  }
};

}  // namespace tilewalk::gpu::standard_naive
