// Choosing block sizes: --tiling fit and --tiling paper.
#include <algorithm>
#include <bit>

#include "sim/error.h"
#include "sim/plan.h"

namespace tilewalk {
namespace {

// The power of two at most `value` and at most `n`, and at least 1.
std::int64_t power_of_two(std::int64_t value, std::int64_t n) {
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(1, std::min(value, n)));
  return static_cast<std::int64_t>(std::bit_floor(most));
}

// FlashAttention, Alg. 1, line 1, with M in elements of the problem's dtype.
Tiling paper_tiling(const Problem& p, const Arch& arch) {
  const std::uint64_t capacity = arch.levels[static_cast<std::size_t>(arch.level("sram"))].capacity;
  const auto m =
      static_cast<std::int64_t>(std::min<std::uint64_t>(capacity, std::uint64_t{1} << 40) / size_of(p.dtype));
  const std::int64_t block_kv = std::max<std::int64_t>(1, (m + 4 * p.d - 1) / (4 * p.d));
  return {std::min(block_kv, p.d), block_kv, Order::ascending};
}

// Halves one free side, unless it is already 1. Says whether it did.
bool halve(std::int64_t& block, bool free) {
  if (!free || block == 1) return false;
  block /= 2;
  return true;
}

}  // namespace

Tiling choose_tiling(const TilingRequest& request, const Algorithm& algorithm, const Problem& problem,
                     const Arch& arch) {
  validate(problem);
  validate(arch);
  const bool free_q = request.block_q == 0, free_kv = request.block_kv == 0;
  Tiling tiling = paper_tiling(problem, arch.in_bytes(problem.dtype));
  if (request.mode == TilingMode::fit) {
    tiling.block_q = power_of_two(tiling.block_q, problem.n_q);
    tiling.block_kv = power_of_two(tiling.block_kv, problem.n_kv);
  } else {
    tiling.block_q = std::clamp<std::int64_t>(problem.n_q, 1, tiling.block_q);
    tiling.block_kv = std::clamp<std::int64_t>(problem.n_kv, 1, tiling.block_kv);
  }
  if (!free_q) tiling.block_q = request.block_q;
  if (!free_kv) tiling.block_kv = request.block_kv;
  tiling.order = request.order;
  if (request.mode == TilingMode::paper) return tiling;
  const auto fits = [&] { return draft_plan({&algorithm, problem, tiling, arch, nullptr}).misfit().empty(); };
  while (!fits()) {
    const bool smaller_kv = halve(tiling.block_kv, free_kv);
    if (smaller_kv && fits()) break;
    if (!halve(tiling.block_q, free_q) && !smaller_kv) break;  // make_plan says what is missing
  }
  return tiling;
}

}  // namespace tilewalk
