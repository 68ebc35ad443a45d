#include "sim/problem.h"

#include <cmath>
#include <string>

#include "sim/blocks.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

constexpr std::int64_t largest_n = std::int64_t{1} << 30, largest_d = 1 << 16, largest_heads = 1 << 20;

void check_range(std::string_view flag, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return;
  throw RequestError(std::string(flag) + " " + std::to_string(value) + ": must be from " +
                     std::to_string(least) + " to " + std::to_string(most));
}

void check_block_map(const BlockMap& map, const Problem& problem) {
  const std::int64_t rows = blocks_of(problem.n_q, map.block_rows),
                     cols = blocks_of(problem.n_kv, map.block_cols);
  if (map.rows == rows && map.cols == cols) return;
  const auto size = [](std::int64_t r, std::int64_t c) {
    return std::to_string(r) + " x " + std::to_string(c);
  };
  throw RequestError("--mask " + problem.mask.spec() + ": holds " + size(map.rows, map.cols) + " blocks of " +
                     size(map.block_rows, map.block_cols) + ", but n_q x n_kv = " +
                     size(problem.n_q, problem.n_kv) + " needs exactly " + size(rows, cols));
}

}  // namespace

float default_scale(std::int64_t d) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(d))); }

void validate(const Problem& p) {
  check_range("--n", p.n_q, 0, largest_n);
  check_range("--n-kv", p.n_kv, 0, largest_n);
  check_range("--d", p.d, 1, largest_d);
  check_range("--heads", p.heads, 1, largest_heads);
  check_range("--kv-heads", p.kv_heads, 1, largest_heads);
  check_range("--batch", p.batch, 1, largest_heads);
  if (p.heads % p.kv_heads != 0) {
    throw RequestError("--kv-heads " + std::to_string(p.kv_heads) + ": must divide --heads " +
                       std::to_string(p.heads) + ", so that each key/value head serves as many query heads");
  }
  if (!std::isfinite(p.scale))
    throw RequestError("--scale: must be a finite number, e.g. 0.125 or 1/sqrt(d)");
  if (p.mask.map()) check_block_map(*p.mask.map(), p);
  // With blocks of one element each pair of rows moves a row of K and V and of the f32 O in and out.
  const double pairs =
      static_cast<double>(p.instances()) * static_cast<double>(p.n_q + 1) * static_cast<double>(p.n_kv + 1);
  if (pairs * static_cast<double>(p.d + 2) * 64 > 9.2e18) {
    throw RequestError("--n " + std::to_string(p.n_q) +
                       ": with this batch, heads, n_kv and d the byte counts do "
                       "not fit 64 bits; make one of them smaller");
  }
}

}  // namespace tilewalk
