#include "sim/cost.h"

#include <algorithm>
#include <numeric>

namespace tilewalk {
namespace {

std::uint64_t elements(const Event& e, Extent extent) {
  const auto rows = static_cast<std::uint64_t>(e.rows), cols = static_cast<std::uint64_t>(e.cols);
  const auto depth = static_cast<std::uint64_t>(e.depth);
  switch (extent) {
    case Extent::rows_cols: return rows * cols;
    case Extent::rows_one: return rows;
    case Extent::rows_depth: return rows * depth;
    case Extent::depth_cols: return depth * cols;
  }
  return 0;
}

// Per element of the tile (rc) and per row (r). A maximum, addition, subtraction, multiplication, division or
// logarithm is one FLOP.
Flops flops_of(const Event& e) {
  const auto r = static_cast<std::uint64_t>(e.rows), rc = r * static_cast<std::uint64_t>(e.cols);
  const auto given = [&](int n) { return e.operand[n] != no_tile; };
  switch (e.op) {
    case Op::gemm: {
      const std::uint64_t extra = (e.flags & flag::scaled ? rc : 0) + (given(3) ? rc : 0);
      return {2 * rc * static_cast<std::uint64_t>(e.depth), 0, extra};
    }
    case Op::softmax: return {0, rc, given(2) ? 2 * rc : 4 * rc};  // max, subtract, add, divide
    case Op::block_softmax: return {0, rc, 3 * rc};                // max, subtract, add
    case Op::online_softmax:
      return {0, rc + r, 3 * rc + 4 * r};  // and max, subtract, multiply, add for m and l
    case Op::merge: return {0, 2 * r, 6 * r};
    case Op::rescale: return {0, 0, rc};
    case Op::normalize: return {0, 0, rc + (given(3) ? 2 * r : 0)};
    case Op::alloc:
    case Op::free:
    case Op::fill:
    case Op::load:
    case Op::store:
    case Op::mask: return {};
  }
  return {};
}

// Bytes over the levels between the tensor's home and the tile. The tensor's side counts in the tensor's
// type, the tile's side is counted as an operand of the event.
void add_transfer(Cost& cost, const Event& e, const Plan& plan) {
  const Tensor& tensor = plan.tensors[e.tensor];
  if (!tensor.counted) return;
  const std::uint64_t bytes = elements(e, Extent::rows_cols) * size_of(tensor.type);
  for (const int level : plan.via[e.from][e.to]) {
    cost.add(level, e.tensor, true, bytes);
    cost.add(level, e.tensor, false, bytes);
  }
  const bool is_store = e.op == Op::store;
  cost.add(is_store ? e.to : e.from, e.tensor, is_store, bytes);
}

}  // namespace

Cost cost_of(const Event& e, const Plan& plan) {
  Cost cost;
  cost.flops = flops_of(e);
  const auto& tiles = plan.kernels[e.launch].tiles;
  const Uses uses = uses_of(e.op);
  if (e.op != Op::fill) {  // setting registers or SRAM to a constant moves nothing
    for (int n = 0; n < uses.count; ++n) {
      if (e.operand[n] == no_tile) continue;
      const Tile& tile = tiles[e.operand[n]];
      const Use use = use_of(e, uses, n);
      const std::uint64_t bytes = elements(e, use.extent) * size_of(tile.type);
      if (use.reads) cost.add(tile.level, static_cast<std::size_t>(tile.tensor), false, bytes);
      if (use.writes) cost.add(tile.level, static_cast<std::size_t>(tile.tensor), true, bytes);
    }
  }
  if (e.op == Op::load || e.op == Op::store) add_transfer(cost, e, plan);
  return cost;
}

void Counts::add(const Cost& cost, std::uint64_t times) {
  events += times;
  flops.matmul += times * cost.flops.matmul;
  flops.exp += times * cost.flops.exp;
  flops.other += times * cost.flops.other;
  for (int n = 0; n < cost.accesses; ++n) {
    const Access& a = cost.access[static_cast<std::size_t>(n)];
    bytes[a.level][a.write][a.tensor] += times * a.bytes;
  }
}

Counts& Counts::operator+=(const Counts& other) {
  events += other.events;
  flops.matmul += other.flops.matmul;
  flops.exp += other.flops.exp;
  flops.other += other.flops.other;
  for (std::size_t level = 0; level < max_levels; ++level) {
    for (std::size_t write = 0; write < 2; ++write) {
      for (std::size_t t = 0; t < max_tensors; ++t) bytes[level][write][t] += other.bytes[level][write][t];
    }
    peak[level] = std::max(peak[level], other.peak[level]);
  }
  return *this;
}

Counts Counts::times(std::uint64_t copies) const {
  Counts result = *this;
  result.events *= copies;
  for (std::uint64_t* flop : {&result.flops.matmul, &result.flops.exp, &result.flops.other}) *flop *= copies;
  for (auto& level : result.bytes) {
    for (auto& direction : level) {
      for (std::uint64_t& sum : direction) sum *= copies;
    }
  }
  return result;
}

std::uint64_t Counts::total(int level, bool write) const {
  const auto& tensors = bytes[static_cast<std::size_t>(level)][write];
  return std::accumulate(tensors.begin(), tensors.end(), std::uint64_t{0});
}

bool Counts::operator==(const Counts& other) const {
  return events == other.events && flops.matmul == other.flops.matmul && flops.exp == other.flops.exp &&
         flops.other == other.flops.other && bytes == other.bytes && peak == other.peak;
}

}  // namespace tilewalk
