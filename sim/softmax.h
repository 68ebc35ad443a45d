// The scalar rules of online softmax, used by the executor for every row of every tile.
#pragma once

#include <cmath>
#include <limits>

namespace tilewalk {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Below this exp is subnormal; GPU units flush it to 0 (ex2.approx.ftz), and so do we.
constexpr float least_exponent = -87.33654f;

inline float exp_flushed(float x) { return x < least_exponent ? 0.0f : std::exp(x); }

// The larger of two; NaN wins, as it must reach the row's result.
inline float larger(float a, float b) { return std::isnan(a) ? a : std::isnan(b) || b > a ? b : a; }

// What scores are measured against: the maximum, or 0 where no key has been seen, since -inf - -inf is NaN.
inline float base_of(float m) { return m == -infinity ? 0.0f : m; }

// How two partial results join: m' = max(m, m_tile), l' = alpha l + beta l_tile, O' = alpha O + beta O_tile
// (both unnormalised). Associative, with identity (-inf, 0, 0). FlashAttention, Alg. 1, line 11.
struct Merge {
  float m, alpha, beta;
};
inline Merge merged(float m, float m_tile) {
  const float m_new = larger(m, m_tile);
  return {m_new, exp_flushed(m - base_of(m_new)), exp_flushed(m_tile - base_of(m_new))};
}

}  // namespace tilewalk
