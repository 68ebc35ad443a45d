// What an event costs: bytes by level and tensor, and FLOPs. Derived here and nowhere else; nothing is stored
// in events.
#pragma once

#include <array>
#include <cstdint>

#include "sim/event.h"
#include "sim/plan.h"

namespace tilewalk {

enum class Extent : std::uint8_t { rows_cols, rows_one, rows_depth, depth_cols };

// How an operation touches one of its operands. A gemm reads its destination only when it accumulates.
struct Use {
  Extent extent = Extent::rows_cols;
  bool reads = false, writes = false;
};

struct Uses {
  int count;
  Use use[6];
};

// One row an Op, in the order of Event::operand.
constexpr Uses uses_of(Op op) {
  constexpr Use reads{Extent::rows_cols, true, false}, writes{Extent::rows_cols, false, true};
  constexpr Use changes{Extent::rows_cols, true, true};
  constexpr Use reads_v{Extent::rows_one, true, false}, writes_v{Extent::rows_one, false, true};
  constexpr Use changes_v{Extent::rows_one, true, true};
  switch (op) {
    case Op::alloc:
    case Op::free: return {0, {}};
    case Op::fill:
    case Op::load: return {1, {writes}};
    case Op::store: return {1, {reads}};
    case Op::gemm:
      return {4, {writes, {Extent::rows_depth, true, false}, {Extent::depth_cols, true, false}, reads_v}};
    case Op::mask: return {1, {changes}};
    case Op::softmax: return {4, {writes, reads, reads_v, reads_v}};
    case Op::block_softmax: return {3, {changes, writes_v, writes_v}};
    case Op::online_softmax: return {4, {changes, changes_v, changes_v, writes_v}};
    case Op::merge: return {6, {changes_v, changes_v, reads_v, reads_v, writes_v, writes_v}};
    case Op::rescale: return {2, {changes, reads_v}};
    case Op::normalize: return {4, {changes, reads_v, reads_v, writes_v}};
  }
  return {0, {}};
}

// The use of operand n by this very event.
inline Use use_of(const Event& e, const Uses& uses, int n) {
  Use use = uses.use[n];
  if (e.op == Op::gemm && n == 0) use.reads = (e.flags & flag::accumulate) != 0;
  return use;
}

struct Flops {
  std::uint64_t matmul = 0;  // executed by gemms: whole tiles, clipped at the edges
  std::uint64_t exp = 0;     // exponentials
  std::uint64_t other = 0;   // everything else: max, add, multiply, divide, log
};

struct Access {
  std::uint8_t level, tensor;
  bool write;
  std::uint64_t bytes;
};

struct Cost {
  Flops flops;
  int accesses = 0;
  std::array<Access, 8> access;

  void add(int level, std::size_t tensor, bool write, std::uint64_t bytes) {
    access[static_cast<std::size_t>(accesses++)] = {static_cast<std::uint8_t>(level),
                                                    static_cast<std::uint8_t>(tensor), write, bytes};
  }
};

Cost cost_of(const Event& event, const Plan& plan);

// Sums over events.
struct Counts {
  std::uint64_t events = 0;
  Flops flops;
  std::array<std::array<std::array<std::uint64_t, max_tensors>, 2>, max_levels>
      bytes{};                                   // [level][write][tensor]
  std::array<std::uint64_t, max_levels> peak{};  // bytes of one CTA's tiles

  void add(const Cost& cost, std::uint64_t times = 1);
  Counts& operator+=(const Counts& other);
  Counts times(std::uint64_t copies) const;  // of a run repeated for every batch and head; peaks stay
  std::uint64_t total(int level, bool write) const;
  std::uint64_t total(int level) const { return total(level, false) + total(level, true); }
  bool operator==(const Counts& other) const;
};

}  // namespace tilewalk
