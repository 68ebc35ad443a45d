// flash2_mma: FlashAttention-2 forward on tensor cores (Ampere instructions, sm_80 and up).
//
// The algorithm is that of flash2_scalar: a CTA owns a block of queries, walks the key blocks, and keeps m, l
// and O on chip. What is new is how the two products are done and how the data gets there:
//   - mma.sync: a warp multiplies a 16x16 by a 16x8 matrix in one instruction, operands and result in
//   registers;
//   - ldmatrix: four 8x8 matrices go from shared memory to the registers where mma.sync wants them;
//   - a swizzle: the 16-byte chunks of a row are permuted, so that neither copies nor ldmatrix wait on a
//   bank;
//   - cp.async: the next K and V tiles arrive while the present ones are used (two buffers, one barrier a
//   tile).
//
// A CTA has 4 warps. Each owns 32 (d = 256: 16) rows of the query block and all keys of a tile, so that a
// row's maximum and sum need no other warp. 32 rows, since every K and V fragment read from shared memory
// then feeds four mma.sync instead of two, and shared memory could not keep up with two.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "gpu/params.h"

namespace tilewalk::gpu::flash2_mma {

// ---------------------------------------------------------------------------------------------------- sizes

// HeadDim is d rounded up to 64, 128 or 256; the columns in between are zeros in shared memory.
template <int HeadDim>
struct Tiles {
  static constexpr int head_dim = HeadDim;
  static constexpr int warps = HeadDim <= 128 ? 4 : 8, threads = 32 * warps;
  static constexpr int slabs = HeadDim <= 128 ? 2 : 1;  // 16-row pieces of the query block a warp owns
  static constexpr int warp_rows = 16 * slabs;
  static constexpr int queries = warps * warp_rows;  // Br
  static constexpr int keys = HeadDim == 64    ? 128
                              : HeadDim == 128 ? 64
                                               : 32;  // Bc: as many as registers allow
  static constexpr int ctas_per_sm = HeadDim <= 128 ? 2 : 1;

  static constexpr int row_bytes = 2 * HeadDim, chunks = HeadDim / 8;  // a chunk: 8 elements, 16 bytes
  static constexpr int q_bytes = queries * row_bytes, kv_bytes = keys * row_bytes;
  static constexpr int shared_bytes = q_bytes + 4 * kv_bytes;  // Q, two K tiles, two V tiles
};

// How blockIdx.x becomes work; filled by the launcher.
struct Schedule {
  unsigned query_tiles;         // of one instance (batch, head)
  unsigned instances;           // batch * heads
  unsigned heads_per_kv_head;   // heads / kv_heads: as many neighbouring instances read the same K and V
  unsigned instances_together;  // this many are walked at once, tile by tile
  bool last_tile_first;
  int whole_tiles;   // this many tiles of K and V are whole: Bc rows of HeadDim elements
  bool full_rows;    // rows are HeadDim elements
  bool aligned;      // rows start at multiples of 16 bytes, so that copies move 16 bytes
  float scale_log2;  // |scale| log2(e), more than 0: scores are kept in units of powers of two, and exp
                     // becomes exp2
  bool negate;       // the scale is negative: Q changes its sign
};

// ------------------------------------------------------------------------------------- one instruction each

template <typename T>
struct Pair;
template <>
struct Pair<__half> {
  using type = __half2;
  static __device__ __forceinline__ __half2 rounded(float a, float b) { return __floats2half2_rn(a, b); }
  static __device__ __forceinline__ float2 wide(__half2 x) { return __half22float2(x); }
};
template <>
struct Pair<__nv_bfloat16> {
  using type = __nv_bfloat162;
  static __device__ __forceinline__ __nv_bfloat162 rounded(float a, float b) {
    return __floats2bfloat162_rn(a, b);
  }
  static __device__ __forceinline__ float2 wide(__nv_bfloat162 x) { return __bfloat1622float2(x); }
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

// D = A B + C for a 16x16 A, a 16x8 B and 16x8 C and D, spread over the warp. With r = lane / 4, c = 2 (lane
// % 4), a lane holds (each register of A and B is a pair of neighbours along the sum):
//   A  a0: row r,   cols c, c+1        B  b0: rows c, c+1,     col r        C  c0, c1: row r,   cols c, c+1
//      a1: row r+8, cols c, c+1           b1: rows c+8, c+9,   col r           c2, c3: row r+8, cols c, c+1
//      a2: row r,   cols c+8, c+9
//      a3: row r+8, cols c+8, c+9
// Two C fragments side by side hold just what an A fragment holds: P, made in place from S, can be the left
// operand of P V without moving between lanes.
template <typename T>
__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1);
template <>
__device__ __forceinline__ void mma<__half>(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <>
__device__ __forceinline__ void mma<__nv_bfloat16>(float (&c)[4], const unsigned (&a)[4], unsigned b0,
                                                   unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Four 8x8 matrices; lane 8 i + r gives the address of row r of matrix i, and gets elements 2 (lane % 4) and
// the next of row lane / 4 of each. Transposed: of column lane / 4.
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

// The four lanes of a quad hold one row of a fragment.
__device__ __forceinline__ float quad_max(float x) {
  x = larger(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return larger(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
__device__ __forceinline__ float quad_sum(float x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

// Three hints about registers, which are what the loop is short of. They change no value.
// What is computed from here(x) is computed here: arithmetic of rare cases is not moved out of the loop into
// registers.
__device__ __forceinline__ int here(int x) {
  asm volatile("" : "+r"(x));
  return x;
}
// kept(x) stays in a register: the compiler does not see through a shuffle, and so does not work x out again
// at every use.
__device__ __forceinline__ unsigned kept(unsigned x) { return __shfl_sync(0xffffffffu, x, threadIdx.x % 32); }
__device__ __forceinline__ int kept_uniform(int x) { return __shfl_sync(0xffffffffu, x, 0); }

__device__ __forceinline__ float minus_infinity() { return __int_as_float(0xff800000); }
__device__ __forceinline__ int lane_id() { return threadIdx.x % 32; }

// ------------------------------------------------------------------------------ global memory: only these
// three

// Up to 8 neighbouring elements of Q, K or V into a 16-byte chunk of shared memory; the rest of it becomes
// zeros. Nothing happens unless `active`. The load goes past the L1 (.cg): the tile is used from shared
// memory, so the L1 would keep what nobody asks for again.
template <bool Traced, typename T>
__device__ __forceinline__ void load_global(unsigned shared, const T* from, int elements, bool aligned,
                                            bool active = true) {
  static_assert(!Traced, "the record of `elements` at `from`, if active, goes here");
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

// A 16-byte chunk or an element of O, or an L.
template <bool Traced, typename Value>
__device__ __forceinline__ void store_global(Value* to, Value value) {
  static_assert(!Traced, "the record of sizeof(Value) at `to` goes here");
  *to = value;
}

// The block map is no tensor: it says what to compute, and is not counted.
__device__ __forceinline__ std::int64_t map_word(const std::int64_t* word) { return __ldg(word); }

// ------------------------------------------------------------------------------------------ masks: what is
// seen

// Ones of the map among blocks [r0, r1) x [c0, c1).
__device__ __forceinline__ std::int64_t map_ones(const BlockMapParams& map, int r0, int c0, int r1, int c1) {
  const std::int64_t width = map.cols + 1;
  const std::int64_t *upper = map.ones_before + r0 * width, *lower = map.ones_before + r1 * width;
  return map_word(lower + c1) - map_word(upper + c1) - map_word(lower + c0) + map_word(upper + c0);
}

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

// Of 32 keys from `key` on, those whose block has a 1 in the map.
__device__ __forceinline__ unsigned mapped_keys(const BlockMapParams& map, int row, int key, int end_key) {
  unsigned mapped = 0;
  const int block_row = block_of(row, map.block_rows);
#pragma unroll 1
  for (int k = key; k < end_key;) {
    const int block = block_of(k, map.block_cols);
    const std::int64_t next = min((block + 1) * map.block_cols, static_cast<std::int64_t>(end_key));
    if (map_ones(map, block_row, block, block_row + 1, block + 1) != 0)
      mapped |= bit_range(k - key, next - key);
    k = static_cast<int>(next);
  }
  return mapped;
}

// Which of the 32 keys from `key` on the row sees: bit b for key + b.
template <bool Mapped>
__device__ __forceinline__ unsigned visible_keys(const KernelParams& p, int row, int key) {
  const std::int64_t diagonal = here(row) + p.n_kv - p.n_q;
  const std::int64_t first = diagonal + p.mask.first, last = diagonal + p.mask.last;
  unsigned seen = bit_range(first - key, min(last + 1, p.n_kv) - key);
  if constexpr (Mapped) {
    const int end_key = static_cast<int>(min(static_cast<std::int64_t>(key) + 32, p.n_kv));
    if (seen != 0 && row < p.n_q) seen &= mapped_keys(p.mask.map, row, key, end_key);
  }
  return seen;
}

// The tiles of keys that a block of queries walks: what sim's Mask::skips and Mask::fills say, for a whole
// row of tiles.
template <int Queries, int Keys, bool Mapped>
struct KeyTiles {
  int row;                   // the first query
  int begin, end;            // the band shows something of tiles [begin, end) ...
  int full_begin, full_end;  // ... and all of tiles [full_begin, full_end)

  __device__ __forceinline__ KeyTiles(const KernelParams& p, int row) : row(row) {
    const std::int64_t top = row + p.n_kv - p.n_q, bottom = last_row(p) + p.n_kv - p.n_q;  // their diagonals
    const std::int64_t first_seen = max(top + p.mask.first, std::int64_t{0});
    const std::int64_t end_seen = min(bottom + p.mask.last + 1, p.n_kv);
    const std::int64_t first_full = max(bottom + p.mask.first, std::int64_t{0});
    const std::int64_t end_full = max(min(top + p.mask.last + 1, p.n_kv), std::int64_t{0});
    begin = first_seen < end_seen ? tile_of(first_seen) : 0;
    end = kept_uniform(first_seen < end_seen ? tile_of(end_seen + Keys - 1) : 0);
    full_begin = kept_uniform(tile_of(min(first_full, p.n_kv) + Keys - 1));
    full_end = kept_uniform(tile_of(end_full));
  }
  __device__ __forceinline__ int last_row(const KernelParams& p) const {
    return static_cast<int>(min(static_cast<std::int64_t>(row) + Queries, p.n_q)) - 1;
  }
  static __device__ __forceinline__ int tile_of(std::int64_t key) {
    return static_cast<int>(static_cast<std::uint64_t>(key) / Keys);
  }

  // The first tile from `tile` on that is not hidden altogether.
  __device__ __forceinline__ int next(const KernelParams& p, int tile) const {
    if constexpr (Mapped) {
      while (tile < end && ones(p, tile) == 0) ++tile;
    }
    return tile;
  }

  // Is a part of the tile hidden, or past the end?
  __device__ __forceinline__ bool cut(const KernelParams& p, int tile) const {
    if (tile < full_begin || tile >= full_end) return true;
    if constexpr (Mapped) return ones(p, tile) != blocks(p, tile);
    return false;
  }

  __device__ __forceinline__ std::int64_t ones(const KernelParams& p, int tile) const {
    return map_ones(p.mask.map, block_row(p), block_col(p, tile), end_block_row(p), end_block_col(p, tile));
  }
  __device__ __forceinline__ std::int64_t blocks(const KernelParams& p, int tile) const {
    return static_cast<std::int64_t>(end_block_row(p) - block_row(p)) *
           (end_block_col(p, tile) - block_col(p, tile));
  }
  __device__ __forceinline__ int block_row(const KernelParams& p) const {
    return block_of(here(row), p.mask.map.block_rows);
  }
  __device__ __forceinline__ int end_block_row(const KernelParams& p) const {
    return block_of(here(last_row(p)), p.mask.map.block_rows) + 1;
  }
  __device__ __forceinline__ int block_col(const KernelParams& p, int tile) const {
    return block_of(tile * Keys, p.mask.map.block_cols);
  }
  __device__ __forceinline__ int end_block_col(const KernelParams& p, int tile) const {
    const std::int64_t end_key = min(static_cast<std::int64_t>(tile + 1) * Keys, p.n_kv);
    return block_of(static_cast<int>(end_key - 1), p.mask.map.block_cols) + 1;
  }
};

// ------------------------------------------------------------------------------------------- shared memory
// tiles

// Where chunk `chunk` of row `row` lies. ldmatrix reads one chunk of 8 rows at once; rows are 128 bytes (all
// banks) or a multiple, so unpermuted these 8 chunks would all lie in the same 4 banks. XOR with the row
// spreads them over all 32.
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
  int row, chunk;
  __device__ __forceinline__ Share()
      : row(here(threadIdx.x) / Tiles::chunks), chunk(here(threadIdx.x) % Tiles::chunks) {}
  __device__ __forceinline__ unsigned in_tile(int r) const {
    return swizzled<Tiles::head_dim>(row + r, chunk);
  }
  __device__ __forceinline__ std::int64_t in_tensor(int d) const {
    return static_cast<std::int64_t>(row) * d + 8 * chunk;
  }
};

// Rows x HeadDim from global into shared memory, when all of it is there and rows are as long as in shared
// memory: offsets are constants, one instruction copies 16 bytes. `shared` and `from` point at the thread's
// first chunk.
template <bool Traced, typename Tiles, int Rows, typename T>
__device__ __forceinline__ void load_whole_tile(unsigned shared, const T* from, bool active = true) {
#pragma unroll
  for (int r = 0; r < Rows; r += Share<Tiles>::rows_at_once) {
    static_assert(Share<Tiles>::rows_at_once % 8 == 0, "the swizzle is the same for all rows of a thread");
    load_global<Traced>(shared + r * Tiles::row_bytes, from + r * Tiles::head_dim, 8, true, active);
  }
}

// Any other tile: `valid` rows of d elements; the rest becomes zeros. `from` is the tile's first element.
template <bool Traced, typename Tiles, int Rows, typename T>
__device__ __forceinline__ void load_part_tile(unsigned tile, const T* from, int valid, int d, bool aligned) {
  const Share<Tiles> share;
  const int elements = min(max(d - 8 * share.chunk, 0), 8);
  from += share.in_tensor(d);
#pragma unroll 1
  for (int r = 0; r < Rows; r += share.rows_at_once) {
    load_global<Traced>(tile + share.in_tile(r), from, share.row + r < valid ? elements : 0, aligned);
    from += static_cast<std::int64_t>(share.rows_at_once) * d;
  }
}

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

// Changes the sign of the chunks of Q that this thread copied.
template <typename Tiles>
__device__ __forceinline__ void negate_queries(unsigned q_tile) {
  const Share<Tiles> share;
#pragma unroll 1
  for (int r = 0; r < Tiles::queries; r += share.rows_at_once) {
    uint4 x = read_chunk(q_tile + share.in_tile(r));
    x = {x.x ^ 0x80008000u, x.y ^ 0x80008000u, x.z ^ 0x80008000u, x.w ^ 0x80008000u};
    write_chunk(q_tile + share.in_tile(r), x);
  }
}

// -------------------------------------------------------------------------------- NaN and infinity in hidden
// keys

// A hidden key has P = 0, but 0 * NaN is NaN: a NaN in V would reach rows that do not see it. Only tiles that
// the mask cuts are in danger; in those each thread looks at the chunks it copied itself, before the barrier
// that shows them to others.

// Zero, or NaN if either of the pair is not finite.
template <typename T>
__device__ __forceinline__ unsigned finite_test(unsigned pair, unsigned so_far) {
  using P = typename Pair<T>::type;
  return bits_as<unsigned>(__hfma2(bits_as<P>(pair), bits_as<P>(0u), bits_as<P>(so_far)));
}
__device__ __forceinline__ bool is_nan_or_zero_nan(unsigned test) { return (test & 0x7fff7fffu) != 0; }

template <typename Tiles, typename T>
__device__ __forceinline__ bool copied_chunks_finite(unsigned v_tile) {
  const Share<Tiles> share;
  unsigned test = 0;
#pragma unroll
  for (int r = 0; r < Tiles::keys; r += share.rows_at_once) {
    const uint4 x = read_chunk(v_tile + share.in_tile(r));
    test = finite_test<T>(x.w, finite_test<T>(x.z, finite_test<T>(x.y, finite_test<T>(x.x, test))));
  }
  return !is_nan_or_zero_nan(test);
}

template <typename T>
__device__ __forceinline__ unsigned without_nonfinite(unsigned pair) {
  const unsigned test = finite_test<T>(pair, 0);
  return pair & ((test & 0x7fffu ? 0u : 0xffffu) | (test & 0x7fff0000u ? 0u : 0xffff0000u));
}

template <typename Tiles, typename T>
__device__ __forceinline__ void zero_nonfinite(unsigned v_tile) {
  const Share<Tiles> share;
#pragma unroll 1
  for (int r = 0; r < Tiles::keys; r += share.rows_at_once) {
    const unsigned address = v_tile + share.in_tile(r);
    uint4 x = read_chunk(address);
    x = {without_nonfinite<T>(x.x), without_nonfinite<T>(x.y), without_nonfinite<T>(x.z),
         without_nonfinite<T>(x.w)};
    write_chunk(address, x);
  }
}

// ------------------------------------------------------------------------------------------------------ one
// warp

// What a warp keeps in registers of its rows. A lane holds rows r and r + 8 of each slab (r = lane / 4), of O
// every eighth pair of columns, and of l the sum over its own columns only: the quad adds up at the end.
template <typename T, typename Tiles>
struct Warp {
  static constexpr int slabs = Tiles::slabs, key_steps = Tiles::keys / 16, dim_steps = Tiles::head_dim / 16;
  float o[slabs][2 * dim_steps][4];
  float s[slabs][2 * key_steps][4];
  float m[slabs][2], l[slabs][2];   // m in units of powers of two: of scale * log2(e) * S
  unsigned seen[Tiles::keys / 32];  // keys of a cut tile that row `lane` of the warp sees
  unsigned q_rows, k_rows,
      v_rows;  // where this lane's ldmatrix addresses start: in the warp's Q, in K's and V's first buffer

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

  // The A fragment of 16 rows and columns 16 k .. 16 k + 15 of Q. Tiles and rows are aligned to more than the
  // swizzle's XOR touches, so the address for another k is the first one's XOR 32 k.
  __device__ __forceinline__ void read_q(unsigned (&a)[4], int i, int k) const {
    ldmatrix(a, (q_rows ^ (k << 5)) + 16 * i * Tiles::row_bytes);
  }

  // S = Q K^T. A B fragment of K^T is 8 keys x 16 columns of K as it lies: four matrices are two neighbouring
  // fragments.
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
      for (int i = 0; i < slabs; ++i) {
        read_q(a[i], i, k);
      }
#pragma unroll
      for (int n = 0; n < key_steps; ++n) {
        unsigned b[4];
        ldmatrix(b, (k_rows + buffer ^ (k << 5)) + 16 * n * Tiles::row_bytes);
#pragma unroll
        for (int i = 0; i < slabs; ++i) {
          mma<T>(s[i][2 * n], a[i], b[0], b[1]);
          mma<T>(s[i][2 * n + 1], a[i], b[2], b[3]);
        }
      }
    }
  }

  // Lane x works out what row x of the warp sees; all four lanes that hold a row then get it from there.
  template <bool Mapped>
  __device__ __forceinline__ void look(const KernelParams& p, int warp_row, int key) {
#pragma unroll
    for (int w = 0; w < Tiles::keys / 32; ++w) {
      seen[w] = visible_keys<Mapped>(p, warp_row + lane_id() % Tiles::warp_rows, key + 32 * w);
    }
  }
  __device__ __forceinline__ unsigned seen_by(int i, int half, int w) const {
    return __shfl_sync(0xffffffffu, seen[w], 16 * i + 8 * half + lane_id() / 4);
  }
  __device__ __forceinline__ void hide() {
#pragma unroll
    for (int i = 0; i < Tiles::slabs; ++i) {
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

  // m' = max(m, rowmax S); l and O are measured against m from now on. Scaling rounds, but keeps order: the
  // largest scaled score is the largest score, scaled.
  __device__ __forceinline__ void raise_maximum(float scale_log2) {
    float alpha[slabs][2];
    bool raised = false;
#pragma unroll
    for (int i = 0; i < slabs; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float top = larger(s[i][0][2 * half], s[i][0][2 * half + 1]);
#pragma unroll
        for (int n = 1; n < 2 * key_steps; ++n)
          top = larger(top, larger(s[i][n][2 * half], s[i][n][2 * half + 1]));
        top = larger(m[i][half], __fmul_rn(quad_max(top), scale_log2));
        alpha[i][half] = exp2_approx(m[i][half] - base_of(top));
        raised |= alpha[i][half] != 1.0f;
        m[i][half] = top;
        l[i][half] *= alpha[i][half];
      }
    }
    if (__any_sync(0xffffffffu, raised)) rescale(alpha);  // else all alpha are 1
  }

  // What scores are measured against: the maximum, or 0 while no key was seen, since -inf - -inf is NaN.
  static __device__ __forceinline__ float base_of(float m) { return m == minus_infinity() ? 0.0f : m; }

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

  // P = exp2(scale S - m) of 16 rows and 16 keys, as an A fragment; l += rowsum P. The product is rounded
  // before the subtraction: fused into one fma, its rounding error would be left over at the row maximum,
  // where P must be exactly 1.
  __device__ __forceinline__ void exponentiate(unsigned (&a)[4], int i, int k, float scale_log2) {
    const float base[2] = {base_of(m[i][0]), base_of(m[i][1])};
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      float p[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) p[e] = exp2_approx(__fmul_rn(s[i][2 * k + n][e], scale_log2) - base[e / 2]);
      l[i][0] += p[0] + p[1];
      l[i][1] += p[2] + p[3];
      a[2 * n] = pack<T>(p[0], p[1]);
      a[2 * n + 1] = pack<T>(p[2], p[3]);
    }
  }

  // O += P V, 16 keys at a time: while the tensor cores work on one step, the exponentials of the next are
  // made. A B fragment of V is 16 keys x 8 columns, pairs along the keys: ldmatrix transposes.
  __device__ __forceinline__ void accumulate(unsigned buffer, float scale_log2) {
    unsigned p[2][slabs][4];
#pragma unroll
    for (int i = 0; i < slabs; ++i) exponentiate(p[0][i], i, 0, scale_log2);
#pragma unroll
    for (int k = 0; k < key_steps; ++k) {
      if (k + 1 < key_steps) {
#pragma unroll
        for (int i = 0; i < slabs; ++i) exponentiate(p[(k + 1) % 2][i], i, k + 1, scale_log2);
      }
#pragma unroll
      for (int n = 0; n < dim_steps; ++n) {
        unsigned b[4];
        ldmatrix_transposed(b, (v_rows + buffer ^ (n << 5)) + 16 * k * Tiles::row_bytes);
#pragma unroll
        for (int i = 0; i < slabs; ++i) {
          mma<T>(o[i][2 * n], p[k % 2][i], b[0], b[1]);
          mma<T>(o[i][2 * n + 1], p[k % 2][i], b[2], b[3]);
        }
      }
    }
  }

  // Adds the values of V that are not finite to the rows that see their keys (P times such a value is the
  // value).
  __device__ __forceinline__ void accumulate_nonfinite(unsigned v_tile) {
#pragma unroll 1
    for (int key = 0; key < Tiles::keys; ++key) {
      bool sees[Tiles::slabs][2];
#pragma unroll
      for (int i = 0; i < Tiles::slabs; ++i) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          unsigned bits = seen_by(i, half, 0);
#pragma unroll
          for (int w = 1; w < Tiles::keys / 32; ++w) {
            const unsigned later = seen_by(i, half, w);
            if (key / 32 == w) bits = later;
          }
          sees[i][half] = bits >> (key % 32) & 1;
        }
      }
#pragma unroll
      for (int n = 0; n < Tiles::head_dim / 8; ++n) {
        const unsigned pair = read_pair(v_tile + swizzled<Tiles::head_dim>(key, n) + 4 * (lane_id() % 4));
        if (!is_nan_or_zero_nan(finite_test<T>(pair, 0))) continue;
        const float2 v = Pair<T>::wide(bits_as<typename Pair<T>::type>(pair));
        const float extra[2] = {isfinite(v.x) ? 0.0f : v.x, isfinite(v.y) ? 0.0f : v.y};
#pragma unroll
        for (int i = 0; i < Tiles::slabs; ++i) {
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            if (sees[i][e / 2]) o[i][n][e] += extra[e % 2];
          }
        }
      }
    }
  }

  // O = O / l, rounded, into the warp's own rows of shared memory (Q is not needed any more); L = m + log l.
  template <bool Traced>
  __device__ __forceinline__ void finish(unsigned rows, float* lse, int valid) {
    const int lane = lane_id();
    __syncwarp();  // no lane reads Q any more
#pragma unroll
    for (int i = 0; i < Tiles::slabs; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = 16 * i + 8 * half + lane / 4;
        const float sum = quad_sum(l[i][half]);
        const float inverse = sum == 0.0f ? 0.0f : reciprocal(sum);
#pragma unroll
        for (int n = 0; n < Tiles::head_dim / 8; ++n) {
          write_pair(rows + swizzled<Tiles::head_dim>(row, n) + 4 * (lane % 4),
                     pack<T>(o[i][n][2 * half] * inverse, o[i][n][2 * half + 1] * inverse));
        }
        constexpr float log_2 = 0.693147180559945309f;
        const float log_sum = sum == 0.0f ? minus_infinity() : (m[i][half] + log2f(sum)) * log_2;
        if (lse && lane % 4 == 0 && row < valid) store_global<Traced>(lse + row, log_sum);
      }
    }
    __syncwarp();  // the chunks are another lane's to store
  }

  // The warp's rows from shared to global memory.
  template <bool Traced>
  __device__ __forceinline__ void store_rows(unsigned rows, T* to, int valid, int d, bool aligned) const {
#pragma unroll 1
    for (int n = lane_id(); n < Tiles::warp_rows * Tiles::chunks; n += 32) {
      const int row = n / Tiles::chunks, chunk = n % Tiles::chunks;
      if (row >= valid || 8 * chunk >= d) continue;
      const uint4 x = read_chunk(rows + swizzled<Tiles::head_dim>(row, chunk));
      T* chunk_to = to + static_cast<std::int64_t>(row) * d + 8 * chunk;
      if (aligned) {
        store_global<Traced>(reinterpret_cast<uint4*>(chunk_to), x);
        continue;
      }
      const unsigned words[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        const unsigned short bits = words[e / 2] >> (e % 2 * 16);
        if (8 * chunk + e < d) store_global<Traced>(chunk_to + e, bits_as<T>(bits));
      }
    }
  }
};

// ----------------------------------------------------------------------------------------------------- the
// kernel

// Which queries of which instance this CTA and this warp work on. With a causal mask later queries see more
// keys: those go first, so that the last CTAs to finish are short ones. Instances are taken together as far
// as their K and V fit the L2.
template <typename Tiles>
struct Work {
  unsigned instance;
  int row, rows;            // of the CTA: [row, row + rows)
  int warp_row, warp_rows;  // of the warp: [row + warp_row, row + warp_row + warp_rows)

  __device__ __forceinline__ Work(const KernelParams& p, const Schedule& schedule) {
    unsigned block;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));  // volatile: see the end of the kernel
    const unsigned group = block / (schedule.instances_together * schedule.query_tiles);
    const unsigned within = block % (schedule.instances_together * schedule.query_tiles);
    const unsigned first = group * schedule.instances_together;
    const unsigned together = min(schedule.instances_together, schedule.instances - first);
    const unsigned tile = within / together;
    instance = first + within % together;
    row = (schedule.last_tile_first ? schedule.query_tiles - 1 - tile : tile) * Tiles::queries;
    rows = static_cast<int>(min(p.n_q - row, static_cast<std::int64_t>(Tiles::queries)));
    warp_row = threadIdx.x / 32 * Tiles::warp_rows;
    warp_rows = min(max(rows - warp_row, 0), Tiles::warp_rows);
  }
  __device__ __forceinline__ std::int64_t row_index(const KernelParams& p) const {
    return instance * p.n_q + row;
  }
};

template <typename T, int HeadDim, bool Mapped, bool Traced>
__global__ void __launch_bounds__(Tiles<HeadDim>::threads, Tiles<HeadDim>::ctas_per_sm)
    flash2_mma(const __grid_constant__ KernelParams p, const __grid_constant__ Schedule schedule) {
  using Tiles = Tiles<HeadDim>;
  extern __shared__ __align__(1024) unsigned char shared[];
  const unsigned q_tile = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  const unsigned k_tiles = q_tile + Tiles::q_bytes, v_tiles = k_tiles + 2 * Tiles::kv_bytes;
  const int d = static_cast<int>(p.d);

  const Work<Tiles> work(p, schedule);
  const KeyTiles<Tiles::queries, Tiles::keys, Mapped> tiles(p, work.row);
  const int whole_tiles = schedule.whole_tiles;
  const std::int64_t kv_start = work.instance / schedule.heads_per_kv_head * p.n_kv * d;
  const Share<Tiles> share;
  const unsigned share_in_tile = kept(q_tile + share.in_tile(0));
  const unsigned share_in_tensor = static_cast<unsigned>(share.in_tensor(HeadDim));
  // A tile of K or V, the usual case: whole.
  const auto load_whole = [&](const void* tensor, unsigned to, int tile, bool active) {
    const T* from = static_cast<const T*>(tensor) +
                    (kv_start + static_cast<std::int64_t>(tile) * (Tiles::keys * HeadDim));
    load_whole_tile<Traced, Tiles, Tiles::keys>(share_in_tile + to, from + share_in_tensor, active);
  };
  // Any other.
  const auto load_part = [&](const void* tensor, unsigned to, int tile) {
    const int key = here(tile) * Tiles::keys;
    const int valid = static_cast<int>(min(p.n_kv - key, static_cast<std::int64_t>(Tiles::keys)));
    const unsigned kv = Work<Tiles>(p, schedule).instance / schedule.heads_per_kv_head;
    load_part_tile<Traced, Tiles, Tiles::keys>(
        q_tile + to, static_cast<const T*>(tensor) + (kv * p.n_kv + key) * d, valid, d, schedule.aligned);
  };
  const auto load_queries = [&] {
    const T* from = static_cast<const T*>(p.q) + work.row_index(p) * d;
    if (schedule.full_rows && work.rows == Tiles::queries) {
      load_whole_tile<Traced, Tiles, Tiles::queries>(share_in_tile, from + share_in_tensor);
    } else {
      load_part_tile<Traced, Tiles, Tiles::queries>(q_tile, from, work.rows, d, schedule.aligned);
    }
  };
  constexpr unsigned k_at = Tiles::q_bytes,
                     v_at = k_at + 2 * Tiles::kv_bytes;  // in shared memory, from q_tile

  int tile = tiles.next(p, tiles.begin);
  unsigned buffer = 0;  // 0 or kv_bytes: where the present tile is
  Warp<T, Tiles> warp;
  load_queries();
  if (tile < tiles.end) {
    load_whole(p.k, k_at, tile, tile < whole_tiles);
    load_whole(p.v, v_at, tile, tile < whole_tiles);
    if (tile >= whole_tiles) load_part(p.k, k_at, tile), load_part(p.v, v_at, tile);
  }
  commit_copies();
  wait_for_copies();
  if (schedule.negate) negate_queries<Tiles>(q_tile);
  __syncthreads();
  warp.start(q_tile + work.warp_row * Tiles::row_bytes, k_tiles, v_tiles);
  for (; tile < tiles.end; buffer ^= Tiles::kv_bytes) {
    const unsigned v_tile = v_tiles + buffer;
    const bool cut = tiles.cut(p, tile);
    bool careful = false;
    wait_for_copies();
    if (cut) {
      careful = __syncthreads_or(!copied_chunks_finite<Tiles, T>(v_tile));
    } else {
      __syncthreads();  // this tile is there, and nobody still reads the last one: its buffers are free
    }
    const int next = tiles.next(p, tile + 1);
    const unsigned other = buffer ^ Tiles::kv_bytes;
    if (next < tiles.end && next >= whole_tiles)
      load_part(p.k, k_at + other, next), load_part(p.v, v_at + other, next);
    const bool whole = next < min(tiles.end, whole_tiles);
    warp.scores(buffer);
    load_whole(p.k, k_at + other, next, whole);
    load_whole(p.v, v_at + other, next, whole);
    commit_copies();
    if (cut) {
      const Work<Tiles> again(p, schedule);
      warp.template look<Mapped>(p, again.row + again.warp_row, tile * Tiles::keys);
      warp.hide();
    }
    warp.raise_maximum(schedule.scale_log2);
    if (careful) {
      warp.accumulate_nonfinite(v_tile);
      __syncthreads();
      zero_nonfinite<Tiles, T>(v_tile);
      __syncthreads();
    }
    warp.accumulate(buffer, schedule.scale_log2);
    tile = next;
  }

  // Worked out anew: kept in registers through the loop, it would push others out.
  const Work<Tiles> done(p, schedule);
  const std::int64_t first_row = done.row_index(p) + done.warp_row;
  const unsigned rows = q_tile + done.warp_row * Tiles::row_bytes;
  warp.template finish<Traced>(rows, p.lse ? p.lse + first_row : nullptr, done.warp_rows);
  warp.template store_rows<Traced>(rows, static_cast<T*>(p.o) + first_row * d, done.warp_rows, d,
                                   schedule.aligned);
}

}  // namespace tilewalk::gpu::flash2_mma
