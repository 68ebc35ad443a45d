#include "sim/inputs.h"

#include <string>

#include "sim/error.h"

namespace tilewalk {
namespace {

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): a bijection of 64 bits that mixes them well.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15u;

std::vector<float> random_tensor(std::int64_t size, std::uint64_t seed, std::uint64_t tensor, DType type) {
  std::vector<float> values(static_cast<std::size_t>(size));
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = random_element(seed, tensor, n);
  round_in_place(values, type);
  return values;
}

std::int64_t q_size(const Problem& p) { return p.batch * p.heads * p.n_q * p.d; }
std::int64_t kv_size(const Problem& p) { return p.batch * p.kv_heads * p.n_kv * p.d; }

void take(std::vector<float>& values, std::int64_t size, const char* flag, DType type) {
  if (values.size() != static_cast<std::size_t>(size)) {
    throw RequestError(std::string(flag) + ": holds " + std::to_string(values.size()) +
                       " elements, the problem has " + std::to_string(size));
  }
  round_in_place(values, type);
}

}  // namespace

float random_element(std::uint64_t seed, std::uint64_t tensor, std::uint64_t index) {
  const std::uint64_t key = mixed(seed + golden_ratio * (tensor + 1));
  const std::uint64_t bits = mixed(key + golden_ratio * (index + 1));
  constexpr std::uint64_t mask = (1u << 21) - 1;
  const auto sum = static_cast<std::int64_t>((bits & mask) + ((bits >> 21) & mask) + ((bits >> 42) & mask));
  // Twice the sum less its odd-valued middle 3 (2^21 - 1) / 2: at most 23 bits, so the conversion is exact.
  return static_cast<float>(2 * sum - 3 * static_cast<std::int64_t>(mask)) * 0x1p-21f;
}

Inputs random_inputs(const Problem& p, std::uint64_t seed) {
  return {random_tensor(q_size(p), seed, 0, p.dtype), random_tensor(kv_size(p), seed, 1, p.dtype),
          random_tensor(kv_size(p), seed, 2, p.dtype)};
}

Inputs checked_inputs(const Problem& p, Inputs inputs) {
  take(inputs.q, q_size(p), "--q", p.dtype);
  take(inputs.k, kv_size(p), "--k", p.dtype);
  take(inputs.v, kv_size(p), "--v", p.dtype);
  return inputs;
}

}  // namespace tilewalk
