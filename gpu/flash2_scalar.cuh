// flash2_scalar: FlashAttention-2 forward (Dao 2023, Alg. 1). New: the loops change places. A CTA owns a
// block of queries and walks the key blocks, so m, l and O stay on chip until the end, O is divided by l only
// once, and the query blocks of a head run on many SMs at once.
#pragma once

#include "gpu/scalar_math.cuh"

namespace tilewalk::gpu::flash2_scalar {

// P = exp(S - m'), m' = max(m, rowmax S), l = alpha l + rowsum P of one row  (line 9).
template <typename T, Fault fault>
__device__ void online_softmax(const SharedTiles<T>& tile, const RowView<fault>& row) {
  const int r = row.row;
  const float m_old = tile.m(r, 0);
  float m = fault == Fault::per_tile_softmax ? minus_infinity() : m_old, sum = 0.0f;
  for (int c = 0; c < row.keys(); ++c) {
    if (row.sees(c)) m = larger(m, tile.s(r, c));
  }
  for (int c = 0; c < row.keys(); ++c) {
    const float weight = row.sees(c) ? exp_flushed(tile.s(r, c) - base_of(m)) : no_weight;
    if (weight != no_weight) sum += weight;
    tile.s(r, c) = weight;
  }
  tile.alpha[r] = exp_flushed(m_old - base_of(m));
  tile.l(r, 0) = tile.alpha[r] * tile.l(r, 0) + sum;
  tile.m(r, 0) = m;
  if constexpr (fault == Fault::per_tile_softmax) {
    for (int c = 0; c < row.keys() && sum != 0.0f; ++c) {
      if (tile.s(r, c) != no_weight) tile.s(r, c) /= sum;
    }
    tile.l(r, 0) = tile.alpha[r] = 1.0f;
  }
}

// O = diag(alpha) O + P V  (line 10).
template <typename T, Fault fault>
__device__ void update_output(const SharedTiles<T>& tile, int rows, int keys) {
  for (int n = threadIdx.x; n < rows * tile.o.cols; n += blockDim.x) {
    const int r = n / tile.o.cols, x = n % tile.o.cols;
    const float alpha = fault == Fault::no_rescale ? 1.0f : tile.alpha[r];
    tile.o(r, x) = weighted_values(tile.s, tile.v, r, x, keys, alpha * tile.o(r, x));
  }
}

// O = diag(l)^-1 O, L = m + log l  (lines 12-13). L takes m's place.
template <typename T>
__device__ void normalize(const SharedTiles<T>& tile, int rows) {
  for (int n = threadIdx.x; n < rows * tile.o.cols; n += blockDim.x) {
    const int r = n / tile.o.cols, x = n % tile.o.cols;
    if (tile.l(r, 0) != 0.0f) tile.o(r, x) /= tile.l(r, 0);
  }
  for (int r = threadIdx.x; r < rows; r += blockDim.x) {
    const float l = tile.l(r, 0);
    tile.m(r, 0) = l == 0.0f ? minus_infinity() : tile.m(r, 0) + logf(l);
  }
}

template <typename T, Fault fault>
struct Flash2 {
  template <bool On>
  static __device__ void run(const KernelParams& p, const TileParams& tiling, Tracer<On>& tracer) {
    extern __shared__ __align__(16) unsigned char memory[];
    const SharedTiles<T> tile(TileLayout<T>(memory, tiling, p.d), tiling, static_cast<int>(p.d));
    const std::int64_t q_blocks = block_count(p.n_q, tiling.block_q);
    const Instance<T> head{p, tiling, blockIdx.x / q_blocks};
    const int i = static_cast<int>(blockIdx.x % q_blocks);
    const Area rows = head.area(i, 0);

    load_tile(tracer, tile.q, head.q(rows));  // line 4
    fill_tile(tile.m, minus_infinity());      // line 5
    fill_tile(tile.l, 0.0f);
    fill_tile(tile.o, 0.0f);
    for (int n = 0; n < key_blocks(p, tiling); ++n) {  // line 6
      const int j = key_block(p, tiling, n);
      const Area area = head.area(i, j);
      if (skips(p, area)) continue;
      if (!(fault == Fault::stale_tile && n == 1)) load_tile(tracer, tile.k, head.k(area));  // line 7
      if (fault == Fault::double_load && n == 1) load_tile(tracer, tile.k, head.k(area));
      load_tile(tracer, tile.v, head.v(area));
      __syncthreads();                                       // Q, K and V are there
      multiply_scores(tile.s, tile.q, tile.k, p.scale);      // line 8
      if (fault != Fault::missing_barrier) __syncthreads();  // S is complete
      const RowView<fault> row{p, area, tiling.block_kv, static_cast<int>(threadIdx.x), !fills(p, area)};
      if (row.row < area.rows) online_softmax(tile, row);
      __syncthreads();  // P, m, l and alpha are complete
      update_output<T, fault>(tile, area.rows, row.keys());
      __syncthreads();  // O is complete, and nobody reads K, V and P any more
      if constexpr (On) {
        tracer.at_tile(i, j);
        keep_tile(tracer, 0, tile.m, area.rows, 1);
        keep_tile(tracer, 1, tile.l, area.rows, 1);
        keep_tile(tracer, 2, tile.o, area.rows, tile.o.cols);
      }
    }
    __syncthreads();  // where all tiles are skipped, O, m and l are still to be shown to all
    normalize(tile, rows.rows);
    __syncthreads();                                                          // O and L are complete
    store_tile(tracer, head.query_tile(static_cast<T*>(p.o), rows), tile.o);  // lines 14-15
    store_tile(tracer, head.row_tile(p.lse, rows), tile.m);
  }
};

}  // namespace tilewalk::gpu::flash2_scalar
