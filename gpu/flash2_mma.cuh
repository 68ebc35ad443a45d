// flash2_mma: FlashAttention-2 forward on tensor cores, with the instructions of Ampere (sm_80 and up). The
// algorithm is flash2_scalar's: a CTA owns a block of queries, walks the key blocks, and keeps m, l and O on
// chip. New is how the two products are computed and how data gets there:
//   mma.sync   a warp multiplies a 16x16 by a 16x8 matrix in one instruction, from registers to registers;
//   ldmatrix   brings four 8x8 matrices from shared memory to the registers in which mma.sync wants them;
//   a swizzle  permutes the 16-byte chunks of a row, so that neither copies nor ldmatrix wait for a bank;
//   cp.async   fetches the next K and V tiles during the present ones: two buffers, one barrier a tile.
//
// Each warp owns 32 rows (d > 128: 16) of the query block and all keys of a tile, so that the maximum and sum
// of a row concern no other warp. 32 rows, since a fragment of K or V read from shared memory then feeds four
// mma.sync instead of two; shared memory could not keep up with two.
//
// On a Hopper SM mma.sync leaves few issue slots to other instructions (MEASURED_mma.md: an add beside it
// costs about a sixth of an mma). What counts is how few others there are: hence tiles as large as registers
// allow, addresses worked out once, and no rescale of O where no maximum has grown.
#pragma once

#include "gpu/fault.h"
#include "gpu/flash2_mma_tile.h"
#include "gpu/mask.cuh"
#include "gpu/numbers.cuh"
#include "gpu/tracer.cuh"

namespace tilewalk::gpu::flash2_mma {

// ---- Sizes

// HeadDim is d rounded up to 64, 128 or 256; columns from d on are zeros in shared memory.
template <int HeadDim>
struct Tiles {
  static constexpr int head_dim = HeadDim;
  static constexpr int warps = HeadDim <= 128 ? 4 : 8, threads = 32 * warps;
  static constexpr int slabs = HeadDim <= 128 ? 2 : 1;  // 16-row pieces of the query block that a warp owns
  static constexpr int warp_rows = 16 * slabs;
  static constexpr int queries = flash2_mma_tile(HeadDim).block_q;  // Br
  static constexpr int keys = flash2_mma_tile(HeadDim).block_kv;    // Bc
  static_assert(queries == warps * warp_rows, "each row has its warp");
  static constexpr int ctas_per_sm = HeadDim <= 128 ? 2 : 1;
  // Steps of 16 keys by which exponentials run ahead of P V: the faster choice, as measured.
  static constexpr int exp_ahead = HeadDim == 128 ? 1 : 0;

  static constexpr int row_bytes = 2 * HeadDim, chunks = HeadDim / 8;  // a chunk: 8 elements, 16 bytes
  static constexpr int q_bytes = queries * row_bytes, kv_bytes = keys * row_bytes;
  static constexpr int shared_bytes = q_bytes + 4 * kv_bytes;  // Q, two K tiles, two V tiles
};

// What the launcher has worked out.
struct Schedule {
  unsigned query_tiles;         // of an instance, that is, of one head of one batch
  unsigned instances;           // batch * heads
  unsigned heads_per_kv_head;   // so many neighbouring instances read the same K and V
  unsigned instances_together;  // so many are walked side by side: their K and V fit the L2
  bool last_tile_first;
  bool aligned;      // rows start at multiples of 16 bytes, so that copies move 16 bytes
  bool full_rows;    // aligned, and d = HeadDim
  int whole_tiles;   // so many tiles of K and V are Bc full rows
  bool negate;       // the scale is negative: Q changes its sign instead
  float scale_log2;  // |scale| log2(e) > 0: scores are in units of powers of two, exp is exp2
};

// ---- One instruction each

template <typename T>
struct Pair;
template <>
struct Pair<__half> {
  using type = __half2;
  static __device__ type rounded(float a, float b) { return __floats2half2_rn(a, b); }
  static __device__ float2 wide(type x) { return __half22float2(x); }
};
template <>
struct Pair<__nv_bfloat16> {
  using type = __nv_bfloat162;
  static __device__ type rounded(float a, float b) { return __floats2bfloat162_rn(a, b); }
  static __device__ float2 wide(type x) { return __bfloat1622float2(x); }
};

template <typename To, typename From>
__device__ __forceinline__ To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "same bits");
  return *reinterpret_cast<const To*>(&from);
}

template <typename T>
__device__ __forceinline__ unsigned pack(float a, float b) {
  return bits_as<unsigned>(Pair<T>::rounded(a, b));
}

// C += A B for 16x16 A, 16x8 B and 16x8 C, spread over the warp. With r = lane / 4 and c = 2 (lane % 4), a
// lane holds (a register of A or B is a pair of neighbours along the sum)
//   A  a0: row r,     columns c, c + 1          B  b0: rows c, c + 1,      column r
//      a1: row r + 8, columns c, c + 1             b1: rows c + 8, c + 9,  column r
//      a2: row r,     columns c + 8, c + 9      C  c0, c1: row r,      columns c, c + 1
//      a3: row r + 8, columns c + 8, c + 9         c2, c3: row r + 8,  columns c, c + 1
// Two C side by side lie as one A does: P, made in place from S, is the left operand of P V as it stands.
template <typename T>
__device__ void mma(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1);
template <>
__device__ __forceinline__ void mma<__half>(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
      " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <>
__device__ __forceinline__ void mma<__nv_bfloat16>(float (&c)[4], const unsigned (&a)[4], unsigned b0,
                                                   unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
      " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Four 8x8 matrices. Lane 8 i + r gives the address of row r of matrix i; of each matrix a lane gets elements
// 2 (lane % 4) and the next of row lane / 4 or, transposed, of column lane / 4.
__device__ __forceinline__ void ldmatrix(unsigned (&x)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(address));
}
__device__ __forceinline__ void ldmatrix_transposed(unsigned (&x)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(address));
}

__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ __forceinline__ void wait_for_copies() { asm volatile("cp.async.wait_group 0;" ::: "memory"); }

// A chunk, or a pair of elements, of shared memory.
__device__ __forceinline__ uint4 read_chunk(unsigned address) {
  uint4 x;
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
               : "r"(address));
  return x;
}
__device__ __forceinline__ void write_chunk(unsigned address, uint4 x) {
  asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(address), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w)
               : "memory");
}
__device__ __forceinline__ unsigned read_pair(unsigned address) {
  unsigned x;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(address));
  return x;
}
__device__ __forceinline__ void write_pair(unsigned address, unsigned x) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(x) : "memory");
}

__device__ __forceinline__ float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// NaN wins, as it must reach the row's result.
__device__ __forceinline__ float larger(float a, float b) {
  float c;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b));
  return c;
}

__device__ __forceinline__ int lane_id() { return threadIdx.x % 32; }

// The four lanes of a quad hold one row of a fragment.
__device__ __forceinline__ float quad_max(float x) {
  x = larger(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return larger(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
__device__ __forceinline__ float quad_sum(float x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

// Hints about registers, of which the loop has none to spare. They change no value.
// here(x): what is computed from it is computed here, not once before the loop and kept for a rare case.
__device__ __forceinline__ int here(int x) {
  asm volatile("" : "+r"(x));
  return x;
}
// kept(x), of all lanes kept_uniform(x): the other way. The compiler does not see through a shuffle, and so
// keeps the value instead of working it out again at every use.
__device__ __forceinline__ unsigned kept(unsigned x) { return __shfl_sync(0xffffffffu, x, threadIdx.x % 32); }
__device__ __forceinline__ int kept_uniform(int x) { return __shfl_sync(0xffffffffu, x, 0); }

// ---- Global memory: an access and its record are one function; nothing else touches tensors there

// Up to 8 neighbouring elements of Q, K or V into a chunk of shared memory; the rest of the chunk becomes
// zeros. Nothing happens unless `active`. Past the L1 (.cg): the tile is used from shared memory.
template <bool On, typename T>
__device__ __forceinline__ void load_global(Moved<On>& moved, unsigned shared, const T* from, int elements,
                                            bool aligned, bool active = true) {
  if (active && elements > 0) moved.add(from, 2 * elements);
  if (aligned) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %3, 0;\n"
        "  @p cp.async.cg.shared.global [%0], [%1], 16, %2; }" ::"r"(shared),
        "l"(from), "r"(2 * elements), "r"(static_cast<int>(active))
        : "memory");
    return;
  }
  for (int e = 0; e < 8 && active; ++e) {
    unsigned short bits = 0;
    if (e < elements) bits = __ldcg(reinterpret_cast<const unsigned short*>(from) + e);
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(shared + 2 * e), "h"(bits) : "memory");
  }
}

// A chunk or an element of O, or an L.
template <bool On, typename Value>
__device__ __forceinline__ void store_global(Moved<On>& moved, Value* to, Value value) {
  moved.add(to, sizeof(Value));
  *to = value;
}

// ---- Masks: what is seen

// Sequences are shorter than 2^31 (the launcher sees to it), so a larger block is as good as one of 2^31.
__device__ __forceinline__ int block_of(int index, std::int64_t block_size) {
  return static_cast<unsigned>(index) / static_cast<unsigned>(min(block_size, std::int64_t{1} << 31));
}

// A word with bits [from, to) set, clipped to 0..32.
__device__ __forceinline__ unsigned bit_range(std::int64_t from, std::int64_t to) {
  const int first = static_cast<int>(min(max(from, std::int64_t{0}), std::int64_t{32}));
  const int end = static_cast<int>(min(max(to, std::int64_t{0}), std::int64_t{32}));
  if (first >= end) return 0;
  return (0xffffffffu >> (32 - (end - first))) << first;
}

// Of the keys [key, end_key), at most 32, those whose block has a 1 in the map.
__device__ __forceinline__ unsigned mapped_keys(const BlockMapParams& map, int row, int key, int end_key) {
  unsigned mapped = 0;
  const int r = block_of(row, map.block_rows);
#pragma unroll 1
  for (int k = key; k < end_key;) {
    const int c = block_of(k, map.block_cols);
    const std::int64_t next = min((c + 1) * map.block_cols, static_cast<std::int64_t>(end_key));
    if (map_ones(map, r, c, r + 1, c + 1) != 0) mapped |= bit_range(k - key, next - key);
    k = static_cast<int>(next);
  }
  return mapped;
}

// Which of the 32 keys from `key` on the row sees: bit b for key + b.
template <bool Mapped, Fault fault>
__device__ __forceinline__ unsigned visible_keys(const KernelParams& p, int row, int key) {
  const std::int64_t diagonal = here(row) + p.n_kv - p.n_q + (fault == Fault::causal_off_by_one ? 1 : 0);
  const std::int64_t first = diagonal + p.mask.first, last = diagonal + p.mask.last;
  const std::int64_t end = fault == Fault::skip_tail_mask ? p.n_kv + 31 : p.n_kv;
  unsigned seen = bit_range(first - key, min(last + 1, end) - key);
  if constexpr (Mapped) {
    const int end_key = static_cast<int>(min(static_cast<std::int64_t>(key) + 32, p.n_kv));
    if (seen != 0 && row < p.n_q) seen &= mapped_keys(p.mask.map, row, key, end_key);
  }
  return seen;
}

// The key tiles that a block of queries walks: what `skips` and `fills` say, for a whole row of tiles.
template <int Queries, int Keys, bool Mapped>
struct KeyTiles {
  int row;                   // the first query
  int begin, end;            // the band shows something of tiles [begin, end) ...
  int full_begin, full_end;  // ... and all of tiles [full_begin, full_end)

  __device__ __forceinline__ KeyTiles(const KernelParams& p, int row) : row(row) {
    const std::int64_t shift = p.n_kv - p.n_q, none = 0;
    const std::int64_t top = row + shift, bottom = last_row(p) + shift;  // diagonals of the first, last row
    const std::int64_t first_seen = max(top + p.mask.first, none);
    const std::int64_t end_seen = min(bottom + p.mask.last + 1, p.n_kv);
    const std::int64_t first_full = max(bottom + p.mask.first, none);
    const std::int64_t end_full = max(min(top + p.mask.last + 1, p.n_kv), none);
    begin = first_seen < end_seen ? tile_of(first_seen) : 0;
    end = kept_uniform(first_seen < end_seen ? tile_of(end_seen + Keys - 1) : 0);
    full_begin = kept_uniform(tile_of(min(first_full, p.n_kv) + Keys - 1));
    full_end = kept_uniform(tile_of(end_full));
  }
  static __device__ __forceinline__ int tile_of(std::int64_t key) {
    return static_cast<int>(static_cast<std::uint64_t>(key) / Keys);
  }
  __device__ __forceinline__ int last_row(const KernelParams& p) const {
    return static_cast<int>(min(static_cast<std::int64_t>(row) + Queries, p.n_q)) - 1;
  }

  // The first tile from `tile` on that is not hidden altogether.
  __device__ __forceinline__ int next(const KernelParams& p, int tile) const {
    if constexpr (Mapped) {
      while (tile < end && map_ones_of(p, tile).x == 0) ++tile;
    }
    return tile;
  }

  // Is a part of the tile hidden, or past the last key?
  __device__ __forceinline__ bool cut(const KernelParams& p, int tile) const {
    if (tile < full_begin || tile >= full_end) return true;
    if constexpr (Mapped) {
      const longlong2 ones = map_ones_of(p, tile);
      return ones.x != ones.y;
    }
    return false;
  }

  // Among the map's blocks that the tile touches: how many ones (x), of how many (y).
  __device__ __forceinline__ longlong2 map_ones_of(const KernelParams& p, int tile) const {
    const BlockMapParams& map = p.mask.map;
    const std::int64_t end_key = min(static_cast<std::int64_t>(tile + 1) * Keys, p.n_kv);
    const int r0 = block_of(here(row), map.block_rows), r1 = block_of(here(last_row(p)), map.block_rows) + 1;
    const int c0 = block_of(tile * Keys, map.block_cols);
    const int c1 = block_of(static_cast<int>(end_key - 1), map.block_cols) + 1;
    return {map_ones(map, r0, c0, r1, c1), static_cast<std::int64_t>(r1 - r0) * (c1 - c0)};
  }
};

// ---- Tiles in shared memory

// Where chunk `chunk` of row `row` lies. ldmatrix reads one chunk of 8 rows at once. Rows take 128 bytes (all
// 32 banks) or a multiple, so that unpermuted these chunks would lie in the same 4 banks; XOR spreads them.
template <int HeadDim>
__device__ __forceinline__ unsigned swizzled(int row, int chunk) {
  return row * (2 * HeadDim) + ((chunk ^ (row & 7)) << 4);
}

// A tile is copied by all threads, neighbours copying neighbouring chunks: this thread copies chunk `chunk`
// of rows row, row + rows_at_once, ...
template <typename Tiles>
struct Share {
  static constexpr int rows_at_once = Tiles::threads / Tiles::chunks;
  static_assert(Tiles::queries % rows_at_once == 0 && Tiles::keys % rows_at_once == 0, "equal shares");
  static_assert(rows_at_once % 8 == 0, "the swizzle is the same for all rows of a thread");
  int row, chunk;
  __device__ __forceinline__ Share()
      : row(here(threadIdx.x) / Tiles::chunks), chunk(here(threadIdx.x) % Tiles::chunks) {}
  __device__ __forceinline__ unsigned in_tile(int r) const {
    return swizzled<Tiles::head_dim>(row, chunk) + r * Tiles::row_bytes;
  }
  __device__ __forceinline__ std::int64_t in_tensor(int d) const {
    return static_cast<std::int64_t>(row) * d + 8 * chunk;
  }
};

// Rows x HeadDim from global into shared memory, when all of it is there and rows are as long as here:
// offsets are constants, and one instruction copies 16 bytes. `shared` and `from`: the thread's first chunk.
template <typename Tiles, int Rows, bool On, typename T>
__device__ __forceinline__ void load_whole_tile(Tracer<On>& tracer, unsigned shared, const T* from,
                                                bool active = true) {
  Moved<On> moved;
#pragma unroll
  for (int r = 0; r < Rows; r += Share<Tiles>::rows_at_once) {
    load_global(moved, shared + r * Tiles::row_bytes, from + r * Tiles::head_dim, 8, true, active);
  }
  if (active) tracer.moved(moved, false);
}

// Any other tile: `valid` rows of d elements; the rest becomes zeros. `tile` and `from`: the first element.
template <typename Tiles, int Rows, bool On, typename T>
__device__ __forceinline__ void load_part_tile(Tracer<On>& tracer, unsigned tile, const T* from, int valid,
                                               int d, bool aligned) {
  Moved<On> moved;
  const Share<Tiles> share;
  const int elements = min(max(d - 8 * share.chunk, 0), 8);
  from += share.in_tensor(d);
#pragma unroll 1
  for (int r = 0; r < Rows; r += share.rows_at_once) {
    load_global(moved, tile + share.in_tile(r), from, share.row + r < valid ? elements : 0, aligned);
    from += static_cast<std::int64_t>(share.rows_at_once) * d;
  }
  tracer.moved(moved, false);
}

// Changes the sign of the chunks of Q that this thread copied.
template <typename Tiles>
__device__ __forceinline__ void negate_queries(unsigned q_tile) {
  const Share<Tiles> share;
#pragma unroll 1
  for (int r = 0; r < Tiles::queries; r += share.rows_at_once) {
    const uint4 x = read_chunk(q_tile + share.in_tile(r));
    constexpr unsigned signs = 0x80008000u;
    write_chunk(q_tile + share.in_tile(r), {x.x ^ signs, x.y ^ signs, x.z ^ signs, x.w ^ signs});
  }
}

// ---- NaN and infinity in hidden keys

// A hidden key has P = 0, but 0 * NaN is NaN: V's row would reach rows that do not see it. Only tiles that
// the mask cuts are in danger. There each thread looks at the chunks of V it copied itself, before the
// barrier that shows them to the others; if one is not finite, such values are added apart and then taken out
// of the tile.

// 0, or NaN if one of the pair is not finite; NaN stays.
template <typename T>
__device__ __forceinline__ unsigned times_zero(unsigned pair, unsigned so_far = 0) {
  using P = typename Pair<T>::type;
  return bits_as<unsigned>(__hfma2(bits_as<P>(pair), bits_as<P>(0u), bits_as<P>(so_far)));
}
__device__ __forceinline__ bool is_zero(unsigned pair) { return (pair & 0x7fff7fffu) == 0; }  // or -0

template <typename Tiles, typename T>
__device__ __forceinline__ bool copied_values_finite(unsigned v_tile) {
  const Share<Tiles> share;
  unsigned test = 0;
#pragma unroll
  for (int r = 0; r < Tiles::keys; r += share.rows_at_once) {
    const uint4 x = read_chunk(v_tile + share.in_tile(r));
    test = times_zero<T>(x.x, times_zero<T>(x.y, times_zero<T>(x.z, times_zero<T>(x.w, test))));
  }
  return is_zero(test);
}

template <typename T>
__device__ __forceinline__ unsigned only_finite(unsigned pair) {
  const unsigned test = times_zero<T>(pair);
  return pair & ((test & 0x7fffu ? 0u : 0xffffu) | (test & 0x7fff0000u ? 0u : 0xffff0000u));
}

// Replaces what is not finite by 0 in the chunks of V that this thread copied.
template <typename Tiles, typename T>
__device__ __forceinline__ void keep_only_finite(unsigned v_tile) {
  const Share<Tiles> share;
#pragma unroll 1
  for (int r = 0; r < Tiles::keys; r += share.rows_at_once) {
    const uint4 x = read_chunk(v_tile + share.in_tile(r));
    write_chunk(v_tile + share.in_tile(r),
                {only_finite<T>(x.x), only_finite<T>(x.y), only_finite<T>(x.z), only_finite<T>(x.w)});
  }
}

// ---- A warp

// What a warp keeps of its rows in registers. A lane holds rows r and r + 8 (r = lane / 4) of each slab; of O
// and S every fourth pair of columns; of l the sum over its own columns: the quad adds up at the end.
template <typename T, typename Tiles>
struct Warp {
  static constexpr int slabs = Tiles::slabs, key_steps = Tiles::keys / 16, dim_steps = Tiles::head_dim / 16;
  float o[slabs][2 * dim_steps][4];
  float s[slabs][2 * key_steps][4];
  float m[slabs][2], l[slabs][2];   // m: the maximum of |scale| log2(e) S
  unsigned seen[Tiles::keys / 32];  // of a cut tile: the keys that row `lane` of the warp sees
  unsigned q_rows, k_rows, v_rows;  // this lane's ldmatrix addresses in the warp's Q, in K's and V's buffer 0

  __device__ __forceinline__ void start(unsigned q, unsigned k_tiles, unsigned v_tiles) {
    const int lane = lane_id();
    q_rows = kept(q + swizzled<Tiles::head_dim>(lane % 16, lane / 16));
    k_rows = kept(k_tiles + swizzled<Tiles::head_dim>(lane % 8 + lane / 16 * 8, lane / 8 % 2));
    v_rows = kept(v_tiles + swizzled<Tiles::head_dim>(lane % 16, lane / 16));
#pragma unroll
    for (int i = 0; i < slabs; ++i) {
#pragma unroll
      for (int n = 0; n < 2 * dim_steps; ++n) o[i][n][0] = o[i][n][1] = o[i][n][2] = o[i][n][3] = 0.0f;
      m[i][0] = m[i][1] = minus_infinity();
      l[i][0] = l[i][1] = 0.0f;
    }
  }

  // S = Q K^T. A B fragment of K^T is 8 keys x 16 columns of K as it lies; four matrices are two fragments.
  // Tiles are aligned to more than the swizzle touches: two chunks on is the address XOR 32.
  __device__ __forceinline__ void scores(unsigned buffer) {
#pragma unroll
    for (int i = 0; i < slabs; ++i) {
#pragma unroll
      for (int n = 0; n < 2 * key_steps; ++n) s[i][n][0] = s[i][n][1] = s[i][n][2] = s[i][n][3] = 0.0f;
    }
#pragma unroll
    for (int k = 0; k < dim_steps; ++k) {
      unsigned a[slabs][4];
#pragma unroll
      for (int i = 0; i < slabs; ++i) ldmatrix(a[i], (q_rows ^ (k << 5)) + 16 * i * Tiles::row_bytes);
#pragma unroll
      for (int n = 0; n < key_steps; ++n) {
        unsigned b[4];
        ldmatrix(b, ((k_rows + buffer) ^ (k << 5)) + 16 * n * Tiles::row_bytes);
#pragma unroll
        for (int i = 0; i < slabs; ++i) {
          mma<T>(s[i][2 * n], a[i], b[0], b[1]);
          mma<T>(s[i][2 * n + 1], a[i], b[2], b[3]);
        }
      }
    }
  }

  // Lane x works out what row x of the warp sees; the lanes that hold a row get it from there.
  template <bool Mapped, Fault fault>
  __device__ __forceinline__ void look(const KernelParams& p, int first_row, int key) {
#pragma unroll
    for (int w = 0; w < Tiles::keys / 32; ++w) {
      seen[w] = visible_keys<Mapped, fault>(p, first_row + lane_id() % Tiles::warp_rows, key + 32 * w);
    }
  }
  __device__ __forceinline__ unsigned seen_by(int i, int half, int w) const {
    return __shfl_sync(0xffffffffu, seen[w], 16 * i + 8 * half + lane_id() / 4);
  }

  // What is not seen becomes -infinity.
  __device__ __forceinline__ void hide() {
#pragma unroll
    for (int i = 0; i < slabs; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int w = 0; w < Tiles::keys / 32; ++w) {
          const unsigned bits = seen_by(i, half, w) >> (2 * (lane_id() % 4));
#pragma unroll
          for (int n = 0; n < 4; ++n) {
            if (!(bits >> (8 * n) & 1)) s[i][4 * w + n][2 * half] = minus_infinity();
            if (!(bits >> (8 * n) & 2)) s[i][4 * w + n][2 * half + 1] = minus_infinity();
          }
        }
      }
    }
  }

  // m' = max(m, rowmax S); from here on l and O are measured against m'. Scaling rounds, but keeps order: the
  // largest scaled score is the largest score, scaled.
  template <Fault fault>
  __device__ __forceinline__ void raise_maximum(float scale_log2) {
    float alpha[slabs][2];
    bool raised = false;
#pragma unroll
    for (int i = 0; i < slabs; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float top = larger(s[i][0][2 * half], s[i][0][2 * half + 1]);
#pragma unroll
        for (int n = 1; n < 2 * key_steps; ++n) {
          top = larger(top, larger(s[i][n][2 * half], s[i][n][2 * half + 1]));
        }
        top = larger(m[i][half], __fmul_rn(quad_max(top), scale_log2));
        alpha[i][half] = exp2_approx(m[i][half] - base_of(top));
        raised |= alpha[i][half] != 1.0f;
        m[i][half] = top;
        l[i][half] *= alpha[i][half];
      }
    }
    if (fault == Fault::no_rescale) return;
    if (__any_sync(0xffffffffu, raised)) rescale(alpha);  // else all alpha are 1
  }

  // Fault::per_tile_softmax. The tile's own softmax is exp(S - log sum exp S); l is 1 after it.
  __device__ void forget_other_tiles(float scale_log2) {
#pragma unroll
    for (int i = 0; i < slabs; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float top = minus_infinity(), sum = 0.0f;
#pragma unroll
        for (int n = 0; n < 4 * key_steps; ++n) top = larger(top, s[i][n / 2][2 * half + n % 2]);
        top = __fmul_rn(quad_max(top), scale_log2);
#pragma unroll
        for (int n = 0; n < 4 * key_steps; ++n) {
          sum += exp2_approx(__fmul_rn(s[i][n / 2][2 * half + n % 2], scale_log2) - base_of(top));
        }
        m[i][half] = base_of(top) + log2f(quad_sum(sum));
        l[i][half] = 0.0f;
      }
    }
  }

  // O = diag(alpha) O.
  __device__ __forceinline__ void rescale(const float (&alpha)[slabs][2]) {
#pragma unroll
    for (int i = 0; i < slabs; ++i) {
#pragma unroll
      for (int n = 0; n < 2 * dim_steps; ++n) {
#pragma unroll
        for (int e = 0; e < 4; ++e) o[i][n][e] *= alpha[i][e / 2];
      }
    }
  }

  // P = exp2(scale S - m) of a slab and 16 keys, as an A fragment; l += rowsum P. The product is rounded
  // before the subtraction: fused into one fma, its rounding error would remain at the row maximum, where P
  // must be 1.
  __device__ __forceinline__ void exponentiate(unsigned (&a)[4], int i, int k, float scale_log2) {
    const float base[2] = {base_of(m[i][0]), base_of(m[i][1])};
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      float p[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        p[e] = exp2_approx(__fmul_rn(s[i][2 * k + n][e], scale_log2) - base[e / 2]);
      }
      l[i][0] += p[0] + p[1];
      l[i][1] += p[2] + p[3];
      a[2 * n] = pack<T>(p[0], p[1]);
      a[2 * n + 1] = pack<T>(p[2], p[3]);
    }
  }

  // O += P V, 16 keys at a time. A B fragment of V is 16 keys x 8 columns in pairs along the keys: ldmatrix
  // transposes.
  __device__ __forceinline__ void accumulate(unsigned buffer, float scale_log2) {
    constexpr int ahead = Tiles::exp_ahead;
    unsigned p[1 + ahead][slabs][4];
#pragma unroll
    for (int k = -ahead; k < key_steps; ++k) {
      const int e = k + ahead;
#pragma unroll
      for (int i = 0; i < slabs && e < key_steps; ++i) exponentiate(p[e % (1 + ahead)][i], i, e, scale_log2);
      if (k < 0) continue;
#pragma unroll
      for (int n = 0; n < dim_steps; ++n) {
        unsigned b[4];
        ldmatrix_transposed(b, ((v_rows + buffer) ^ (n << 5)) + 16 * k * Tiles::row_bytes);
#pragma unroll
        for (int i = 0; i < slabs; ++i) {
          mma<T>(o[i][2 * n], p[k % (1 + ahead)][i], b[0], b[1]);
          mma<T>(o[i][2 * n + 1], p[k % (1 + ahead)][i], b[2], b[3]);
        }
      }
    }
  }

  // Does row (i, half) of this lane see key `key` of the tile?
  __device__ __forceinline__ bool sees(int i, int half, int key) const {
    unsigned bits = 0;
#pragma unroll
    for (int w = 0; w < Tiles::keys / 32; ++w) {
      const unsigned word = seen_by(i, half, w);
      if (key / 32 == w) bits = word;
    }
    return bits >> (key % 32) & 1;
  }

  // Adds the values of V that are not finite to the rows that see them: P > 0 times such a value is the
  // value.
  __device__ __forceinline__ void accumulate_nonfinite(unsigned v_tile) {
#pragma unroll 1
    for (int key = 0; key < Tiles::keys; ++key) {
      bool visible[slabs][2];
#pragma unroll
      for (int i = 0; i < slabs; ++i) visible[i][0] = sees(i, 0, key), visible[i][1] = sees(i, 1, key);
#pragma unroll
      for (int n = 0; n < 2 * dim_steps; ++n) {
        const unsigned pair = read_pair(v_tile + swizzled<Tiles::head_dim>(key, n) + 4 * (lane_id() % 4));
        if (is_zero(times_zero<T>(pair))) continue;
        const float2 v = Pair<T>::wide(bits_as<typename Pair<T>::type>(pair));
        const float extra[2] = {isfinite(v.x) ? 0.0f : v.x, isfinite(v.y) ? 0.0f : v.y};
#pragma unroll
        for (int i = 0; i < slabs; ++i) {
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            if (visible[i][e / 2]) o[i][n][e] += extra[e % 2];
          }
        }
      }
    }
  }

  static constexpr float ln_2 = 0.693147180559945309f;

  // O = diag(l)^-1 O, rounded, into the warp's own rows of shared memory, where Q is not needed any more.
  __device__ __forceinline__ void normalize(unsigned rows) {
    const int lane = lane_id();
    __syncwarp();  // no lane reads Q any more
#pragma unroll
    for (int i = 0; i < slabs; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float sum = l[i][half] = quad_sum(l[i][half]);
        const float inverse = sum == 0.0f ? 0.0f : reciprocal(sum);
        const int row = 16 * i + 8 * half + lane / 4;
#pragma unroll
        for (int n = 0; n < 2 * dim_steps; ++n) {
          write_pair(rows + swizzled<Tiles::head_dim>(row, n) + 4 * (lane % 4),
                     pack<T>(o[i][n][2 * half] * inverse, o[i][n][2 * half + 1] * inverse));
        }
      }
    }
    __syncwarp();  // the chunks are for other lanes to store
  }

  // The warp's `valid` rows of O, from shared to global memory.
  template <bool On>
  __device__ __forceinline__ void store_output(Tracer<On>& tracer, unsigned rows, T* to, int valid, int d,
                                               bool aligned) const {
    Moved<On> moved;
#pragma unroll 1
    for (int n = lane_id(); n < valid * Tiles::chunks; n += 32) {
      const int row = n / Tiles::chunks, chunk = n % Tiles::chunks;
      if (8 * chunk >= d) continue;
      const uint4 x = read_chunk(rows + swizzled<Tiles::head_dim>(row, chunk));
      T* start = to + static_cast<std::int64_t>(row) * d + 8 * chunk;
      if (aligned) {
        store_global(moved, reinterpret_cast<uint4*>(start), x);
        continue;
      }
      const unsigned words[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        const unsigned short bits = words[e / 2] >> (e % 2 * 16);
        if (8 * chunk + e < d) store_global(moved, start + e, bits_as<T>(bits));
      }
    }
    tracer.moved(moved, true);
  }

  // L = m + log l, in natural units.
  template <bool On>
  __device__ __forceinline__ void store_log_sums(Tracer<On>& tracer, float* lse, int valid) const {
    Moved<On> moved;
#pragma unroll
    for (int i = 0; i < slabs; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = 16 * i + 8 * half + lane_id() / 4;
        const float sum = l[i][half];
        const float log_sum = sum == 0.0f ? minus_infinity() : (m[i][half] + log2f(sum)) * ln_2;
        if (lane_id() % 4 == 0 && row < valid) store_global(moved, lse + row, log_sum);
      }
    }
    tracer.moved(moved, true);
  }

  // m, l and O as they are after a tile, of the warp's `valid` rows; `first_row`: of the CTA's.
  __device__ void keep(Tracer<true>& tracer, int first_row, int valid, int d) const {
#pragma unroll
    for (int i = 0; i < slabs; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = 16 * i + 8 * half + lane_id() / 4;
        const float sum = quad_sum(l[i][half]);
        if (row >= valid) continue;
        tracer.keep(0, first_row + row, 0, m[i][half] * ln_2);
        tracer.keep(1, first_row + row, 0, sum);
#pragma unroll
        for (int n = 0; n < 2 * dim_steps; ++n) {
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            const int col = 8 * n + 2 * (lane_id() % 4) + e;
            if (col < d) tracer.keep(2, first_row + row, col, o[i][n][2 * half + e]);
          }
        }
      }
    }
  }
};

// ---- The kernel

// Which queries of which instance a CTA and a warp of it work on. With a causal mask later queries see more
// keys; they go first, so that the last CTAs to finish are short.
template <typename Tiles>
struct Work {
  unsigned instance, tile;
  int row, rows;            // of the CTA: [row, row + rows)
  int warp_row, warp_rows;  // of the warp, within these: [warp_row, warp_row + warp_rows)

  __device__ __forceinline__ Work(const KernelParams& p, const Schedule& schedule) {
    unsigned block;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));  // volatile: as with here()
    const unsigned group = block / (schedule.instances_together * schedule.query_tiles);
    const unsigned within = block % (schedule.instances_together * schedule.query_tiles);
    const unsigned first = group * schedule.instances_together;
    const unsigned together = min(schedule.instances_together, schedule.instances - first);
    instance = first + within % together;
    tile = within / together;
    if (schedule.last_tile_first) tile = schedule.query_tiles - 1 - tile;
    row = tile * Tiles::queries;
    rows = static_cast<int>(min(p.n_q - row, static_cast<std::int64_t>(Tiles::queries)));
    warp_row = threadIdx.x / 32 * Tiles::warp_rows;
    warp_rows = min(max(rows - warp_row, 0), Tiles::warp_rows);
  }
  // Of the CTA's first row among all instances' rows.
  __device__ __forceinline__ std::int64_t row_index(const KernelParams& p) const {
    return instance * p.n_q + row;
  }
  __device__ __forceinline__ std::int64_t kv_row_index(const KernelParams& p,
                                                       const Schedule& schedule) const {
    return instance / schedule.heads_per_kv_head * p.n_kv;
  }
};

template <typename T, int HeadDim, bool Mapped, Fault fault, bool On>
__device__ __forceinline__ void run(const KernelParams& p, const Schedule& schedule, Tracer<On>& tracer) {
  using Tiles = Tiles<HeadDim>;
  extern __shared__ __align__(1024) unsigned char shared[];
  const unsigned q_tile = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  constexpr unsigned k_at = Tiles::q_bytes, v_at = k_at + 2 * Tiles::kv_bytes;  // from there on
  const int d = static_cast<int>(p.d);

  const Work<Tiles> work(p, schedule);
  const KeyTiles<Tiles::queries, Tiles::keys, Mapped> tiles(p, work.row);
  const Share<Tiles> share;
  const unsigned share_in_tile = kept(q_tile + share.in_tile(0));
  const unsigned share_in_tensor = static_cast<unsigned>(share.in_tensor(HeadDim));
  const std::int64_t kv_start = work.kv_row_index(p, schedule) * d;

  const auto load_queries = [&] {
    const T* from = static_cast<const T*>(p.q) + work.row_index(p) * d;
    if (schedule.full_rows && work.rows == Tiles::queries) {
      load_whole_tile<Tiles, Tiles::queries>(tracer, share_in_tile, from + share_in_tensor);
    } else {
      load_part_tile<Tiles, Tiles::queries>(tracer, q_tile, from, work.rows, d, schedule.aligned);
    }
  };
  const auto load_whole = [&](const void* tensor, unsigned at, int tile, bool active) {
    const std::int64_t start = kv_start + static_cast<std::int64_t>(tile) * (Tiles::keys * HeadDim);
    const T* from = static_cast<const T*>(tensor) + start + share_in_tensor;
    load_whole_tile<Tiles, Tiles::keys>(tracer, share_in_tile + at, from, active);
  };
  const auto load_part = [&](const void* tensor, unsigned at, int tile) {
    const int key = here(tile) * Tiles::keys;
    const int valid = static_cast<int>(min(p.n_kv - key, static_cast<std::int64_t>(Tiles::keys)));
    const std::int64_t start = (Work<Tiles>(p, schedule).kv_row_index(p, schedule) + key) * d;
    const T* from = static_cast<const T*>(tensor) + start;
    load_part_tile<Tiles, Tiles::keys>(tracer, q_tile + at, from, valid, d, schedule.aligned);
  };

  int tile = tiles.next(p, tiles.begin);
  unsigned buffer = 0;  // where the present tile's K and V are: 0 or kv_bytes
  load_queries();
  if (tile < schedule.whole_tiles && tile < tiles.end) {
    load_whole(p.k, k_at, tile, true);
    load_whole(p.v, v_at, tile, true);
  } else if (tile < tiles.end) {
    load_part(p.k, k_at, tile);
    load_part(p.v, v_at, tile);
  }
  commit_copies();
  wait_for_copies();
  if (schedule.negate) negate_queries<Tiles>(q_tile);
  __syncthreads();  // Q is there, for all warps

  Warp<T, Tiles> warp;
  warp.start(q_tile + work.warp_row * Tiles::row_bytes, q_tile + k_at, q_tile + v_at);
  for (; tile < tiles.end; buffer ^= Tiles::kv_bytes) {
    const unsigned v_tile = q_tile + v_at + buffer;
    const bool cut = tiles.cut(p, tile);
    bool careful = false;
    wait_for_copies();
    if (cut) {
      careful = __syncthreads_or(!copied_values_finite<Tiles, T>(v_tile));
    } else if (fault != Fault::missing_barrier) {
      __syncthreads();  // this tile is there, and nobody still reads the last one: its buffers are free
    }

    const int next = tiles.next(p, tile + 1);
    const unsigned other = buffer ^ Tiles::kv_bytes;
    const bool whole = next < min(tiles.end, schedule.whole_tiles);
    const bool second = tile == tiles.begin;  // next is the second tile
    if (next < tiles.end && !whole) {
      if (!(fault == Fault::stale_tile && second)) load_part(p.k, k_at + other, next);
      if (fault == Fault::double_load && second) load_part(p.k, k_at + other, next);
      load_part(p.v, v_at + other, next);
    }
    warp.scores(buffer);
    // Without a branch, so that it goes on beside the scores.
    load_whole(p.k, k_at + other, next, whole && !(fault == Fault::stale_tile && second));
    if (fault == Fault::double_load && second) load_whole(p.k, k_at + other, next, whole);
    load_whole(p.v, v_at + other, next, whole);
    commit_copies();

    if (cut) {
      const Work<Tiles> again(p, schedule);
      warp.template look<Mapped, fault>(p, again.row + again.warp_row, tile * Tiles::keys);
      warp.hide();
    }
    if (fault == Fault::per_tile_softmax) {
      warp.forget_other_tiles(schedule.scale_log2);
    } else {
      warp.template raise_maximum<fault>(schedule.scale_log2);
    }
    if (careful) {
      warp.accumulate_nonfinite(v_tile);
      __syncthreads();  // all have seen them
      keep_only_finite<Tiles, T>(v_tile);
      __syncthreads();
    }
    warp.accumulate(buffer, schedule.scale_log2);
    if constexpr (On) {
      tracer.at_tile(work.tile, tile);
      warp.keep(tracer, work.warp_row, work.warp_rows, d);
    }
    tile = next;
  }

  // Worked out again: kept through the loop, it would take registers that the loop needs.
  const Work<Tiles> done(p, schedule);
  const std::int64_t first_row = done.row_index(p) + done.warp_row;
  const unsigned rows = q_tile + done.warp_row * Tiles::row_bytes;
  warp.normalize(rows);
  T* o = static_cast<T*>(p.o) + first_row * d;
  warp.store_output(tracer, rows, o, done.warp_rows, d, schedule.aligned);
  if (p.lse) warp.store_log_sums(tracer, p.lse + first_row, done.warp_rows);
}

template <typename T, int HeadDim, bool Mapped>
__global__ void __launch_bounds__(Tiles<HeadDim>::threads, Tiles<HeadDim>::ctas_per_sm)
    flash2_mma(const __grid_constant__ KernelParams p, const __grid_constant__ Schedule schedule) {
  Tracer<false> tracer;
  run<T, HeadDim, Mapped, Fault::none>(p, schedule, tracer);
}

// A trace's CTAs are numbered as the model's: instances_together must be 1 and last_tile_first false.
template <typename T, int HeadDim, bool Mapped, Fault fault = Fault::none>
__global__ void __launch_bounds__(Tiles<HeadDim>::threads)
    traced_flash2_mma(const __grid_constant__ KernelParams p, const __grid_constant__ Schedule schedule,
                      const __grid_constant__ TraceBuffers buffers) {
  Tracer<true> tracer(buffers);
  run<T, HeadDim, Mapped, fault>(p, schedule, tracer);
}

}  // namespace tilewalk::gpu::flash2_mma
