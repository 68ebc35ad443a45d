// flash1_scalar: FlashAttention-1 (Dao et al. 2022, Alg. 1). New: S and P never leave the chip. A tile of
// scores is made, turned into weights and used at once; m and l correct later what was not known then. The
// outer loop runs over K and V, so O, l and m go back to device memory after each tile. One CTA a head.
#pragma once

#include "gpu/scalar_math.cuh"

namespace tilewalk::gpu::flash1_scalar {

// O = 0, l = 0, m = -infinity in device memory  (line 2). O is float between the passes.
template <typename T, Fault fault>
struct Init {
  template <bool On>
  static __device__ void run(const KernelParams& p, const TileParams& tiling, Tracer<On>& tracer) {
    extern __shared__ __align__(16) unsigned char memory[];
    const SharedTiles<T> tile(TileLayout<T>(memory, tiling, p.d), tiling, static_cast<int>(p.d));
    const std::int64_t q_blocks = block_count(p.n_q, tiling.block_q);
    const Instance<T> head{p, tiling, blockIdx.x / q_blocks};
    const Area rows = head.area(blockIdx.x % q_blocks, 0);

    fill_tile(tile.o, 0.0f);
    fill_tile(tile.l, 0.0f);
    fill_tile(tile.m, minus_infinity());
    __syncthreads();  // they are filled
    store_tile(tracer, head.query_tile(static_cast<float*>(p.o), rows), tile.o);
    store_tile(tracer, head.row_tile(p.row_sum, rows), tile.l);
    store_tile(tracer, head.row_tile(p.row_max, rows), tile.m);
  }
};

// P = exp(S - m_tile), m_tile and l_tile of one row: the statistics of this tile alone  (line 10).
template <typename T, Fault fault>
__device__ void block_softmax(const SharedTiles<T>& tile, const RowView<fault>& row) {
  const int r = row.row;
  float m = minus_infinity(), l = 0.0f;
  for (int c = 0; c < row.keys(); ++c) {
    if (row.sees(c)) m = larger(m, tile.s(r, c));
  }
  for (int c = 0; c < row.keys(); ++c) {
    const float weight = row.sees(c) ? exp_flushed(tile.s(r, c) - base_of(m)) : no_weight;
    if (weight != no_weight) l += weight;
    tile.s(r, c) = weight;
  }
  if constexpr (fault == Fault::per_tile_softmax) {
    for (int c = 0; c < row.keys() && l != 0.0f; ++c) {
      if (tile.s(r, c) != no_weight) tile.s(r, c) /= l;
    }
  }
  tile.m_tile[r] = m;
  tile.l_tile[r] = l;
}

// Row r of O: O = diag(l')^-1 (diag(l) exp(m - m') O + exp(m_tile - m') P V)  (line 12), all columns in turn.
template <typename T, Fault fault>
__device__ void update_output(const SharedTiles<T>& tile, const float* l_old, int rows, int keys) {
  for (int n = threadIdx.x; n < rows * tile.o.cols; n += blockDim.x) {
    const int r = n / tile.o.cols, x = n % tile.o.cols;
    const float alpha = fault == Fault::no_rescale ? 1.0f : tile.alpha[r];
    const float before = tile.o(r, x) * l_old[r] * alpha;
    const float sum = before + tile.beta[r] * weighted_values(tile.s, tile.v, r, x, keys, 0.0f);
    const float l = tile.l(r, 0);
    tile.o(r, x) = l == 0.0f ? sum : sum / l;
  }
}

// m' = max(m, m_tile), l' = alpha l + beta l_tile of one row  (line 11). The old l is kept in l_tile's place.
template <typename T, Fault fault>
__device__ void merge(const SharedTiles<T>& tile, int r) {
  const float m_old = tile.m(r, 0), l_old = tile.l(r, 0), m_tile = tile.m_tile[r], l_tile = tile.l_tile[r];
  const float m = larger(m_old, m_tile);
  tile.alpha[r] = exp_flushed(m_old - base_of(m));
  tile.beta[r] = exp_flushed(m_tile - base_of(m));
  tile.l(r, 0) = tile.alpha[r] * l_old + tile.beta[r] * l_tile;
  tile.m(r, 0) = m;
  if constexpr (fault == Fault::per_tile_softmax) {
    tile.m(r, 0) = m_tile;
    tile.l(r, 0) = tile.alpha[r] = tile.beta[r] = 1.0f;
  }
  tile.l_tile[r] = l_old;
}

template <typename T, Fault fault>
struct Flash1 {
  template <bool On>
  static __device__ void run(const KernelParams& p, const TileParams& tiling, Tracer<On>& tracer) {
    extern __shared__ __align__(16) unsigned char memory[];
    const SharedTiles<T> tile(TileLayout<T>(memory, tiling, p.d), tiling, static_cast<int>(p.d));
    const Instance<T> head{p, tiling, blockIdx.x};
    const int q_blocks = static_cast<int>(block_count(p.n_q, tiling.block_q));

    for (int n = 0; n < key_blocks(p, tiling); ++n) {  // line 5
      const int j = key_block(p, tiling, n);
      const Area keys = head.area(0, j);
      if (!(fault == Fault::stale_tile && n == 1)) load_tile(tracer, tile.k, head.k(keys));  // line 6
      if (fault == Fault::double_load && n == 1) load_tile(tracer, tile.k, head.k(keys));
      load_tile(tracer, tile.v, head.v(keys));
      for (int i = 0; i < q_blocks; ++i) {  // line 7
        const Area area = head.area(i, j);
        if (skips(p, area)) continue;
        load_tile(tracer, tile.q, head.q(area));  // line 8
        load_tile(tracer, tile.o, head.query_tile(static_cast<const float*>(p.o), area));
        load_tile(tracer, tile.l, head.row_tile(static_cast<const float*>(p.row_sum), area));
        load_tile(tracer, tile.m, head.row_tile(static_cast<const float*>(p.row_max), area));
        __syncthreads();                                       // all tiles are there
        multiply_scores(tile.s, tile.q, tile.k, p.scale);      // line 9
        if (fault != Fault::missing_barrier) __syncthreads();  // S is complete
        const RowView<fault> row{p, area, tiling.block_kv, static_cast<int>(threadIdx.x), !fills(p, area)};
        if (row.row < area.rows) {
          block_softmax(tile, row);
          merge<T, fault>(tile, row.row);
        }
        __syncthreads();  // P, m, l, alpha and beta are complete
        update_output<T, fault>(tile, tile.l_tile, area.rows, row.keys());
        __syncthreads();  // O is complete
        store_tile(tracer, head.query_tile(static_cast<float*>(p.o), area), tile.o);
        store_tile(tracer, head.row_tile(p.row_sum, area), tile.l);  // line 13
        store_tile(tracer, head.row_tile(p.row_max, area), tile.m);
        if constexpr (On) {
          tracer.at_tile(i, j);
          keep_tile(tracer, 0, tile.o, area.rows, tile.o.cols);
          keep_tile(tracer, 1, tile.l, area.rows, 1);
          keep_tile(tracer, 2, tile.m, area.rows, 1);
        }
        __syncthreads();  // tiles may be overwritten, and what was stored may be loaded
      }
    }
  }
};

}  // namespace tilewalk::gpu::flash1_scalar
