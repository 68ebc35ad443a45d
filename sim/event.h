// One step of a schedule, as flat plain data. C++17 and free of dependencies, so that CUDA code writes the
// same records.
#pragma once

#include <cstdint>

namespace tilewalk {

// What a CTA does with its tiles. The operands of each are listed in Event::operand's order.
enum class Op : std::uint8_t {
  alloc,    // tile
  free,     // tile
  fill,     // tile                           set to 0 or -infinity
  load,     // tile                           tensor -> tile
  store,    // tile                           tile -> tensor
  gemm,     // dst a b [row_scale]            dst (+)= [diag(row_scale)] a b, times the scale when `scaled`
  mask,     // s                              what the mask hides becomes -infinity (or 0)
  softmax,  // p s [m l]                      whole rows at once; with m and l given, exp(s - m) / l
  block_softmax,   // s m_tile l_tile                s <- exp(s - rowmax), the block's own maximum and sum
  online_softmax,  // s m l alpha                    s <- exp(s - m'), m <- m', l <- alpha l + rowsum
  merge,           // m l m_tile l_tile alpha beta   the statistics of a block join the running ones
  rescale,         // x factor                       rows of x times factor
  normalize,       // o l [m lse]                    rows of o divided by l; lse <- m + log l
};
constexpr int op_count = 13;

using TileHandle = std::uint8_t;
constexpr TileHandle no_tile = 255;

// Flags of an event. Bits are shared between operations that cannot confuse them.
namespace flag {
constexpr std::uint8_t minus_infinity = 1;  // fill: with -infinity instead of 0
constexpr std::uint8_t to_zero = 1;         // mask: hidden scores become 0 (attention without softmax)
constexpr std::uint8_t transpose_a = 1, transpose_b = 2, accumulate = 4, scaled = 8;  // gemm
// Faults that change what an operation computes, not which operations there are.
constexpr std::uint8_t per_tile = 16, stale_max = 32, unmasked_tail = 64, shifted_mask = 128;
}  // namespace flag

// `row` and `col` are the tile of the score matrix that the event belongs to: query block and key block, -1
// outside the loop over one of them. They name a tensor's tile too: K's is `col`, Q's is `row`, S's is both.
struct Event {
  Op op = Op::alloc;
  std::uint8_t flags = 0;
  TileHandle operand[6] = {no_tile, no_tile, no_tile, no_tile, no_tile, no_tile};
  std::uint8_t tensor = 255;          // index in the TensorTable, of a load or store
  std::uint8_t launch = 0;            // kernel
  std::uint8_t from = 0, to = 0;      // memory levels of a load or store
  std::uint8_t agent = 0, token = 0;  // who acts, and which asynchronous copy; 0: the CTA itself, at once
  std::uint16_t line = 0;             // in the schedule's source; not part of equality
  std::int32_t cta = 0;
  std::int32_t row = -1, col = -1;
  std::int32_t rows = 0, cols = 0, depth = 0;  // valid elements of the result; depth: what a gemm sums over
};
static_assert(sizeof(Event) == 40, "events are kept by the million");

constexpr bool operator==(const Event& a, const Event& b) {
  for (int n = 0; n < 6; ++n) {
    if (a.operand[n] != b.operand[n]) return false;
  }
  return a.op == b.op && a.flags == b.flags && a.tensor == b.tensor && a.launch == b.launch &&
         a.from == b.from && a.to == b.to && a.agent == b.agent && a.token == b.token && a.cta == b.cta &&
         a.row == b.row && a.col == b.col && a.rows == b.rows && a.cols == b.cols && a.depth == b.depth;
}
constexpr bool operator!=(const Event& a, const Event& b) { return !(a == b); }

constexpr const char* name_of(Op op) {
  switch (op) {
    case Op::alloc: return "alloc";
    case Op::free: return "free";
    case Op::fill: return "fill";
    case Op::load: return "load";
    case Op::store: return "store";
    case Op::gemm: return "gemm";
    case Op::mask: return "mask";
    case Op::softmax: return "softmax";
    case Op::block_softmax: return "block_softmax";
    case Op::online_softmax: return "online_softmax";
    case Op::merge: return "merge";
    case Op::rescale: return "rescale";
    case Op::normalize: return "normalize";
  }
  return "";
}

}  // namespace tilewalk
