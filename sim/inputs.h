// Q, K and V: the same numbers on every machine, or a user's own.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/problem.h"

namespace tilewalk {

// Row-major: q is batch x heads x n_q x d, k and v are batch x kv_heads x n_kv x d. Every value is exact in
// the problem's dtype.
struct Inputs {
  std::vector<float> q, k, v;
};

// Element `index` of a tensor: the sum of three 21-bit uniform integers, centred and times 2^-20. That is
// exact in float, bell-shaped, of mean 0, variance 1 and range (-3, 3), and needs nothing that differs
// between compilers.
float random_element(std::uint64_t seed, std::uint64_t tensor, std::uint64_t index);

Inputs random_inputs(const Problem& problem, std::uint64_t seed);  // tensors 0, 1, 2 are Q, K, V

// Rounds to the problem's dtype and checks the sizes. Throws RequestError.
Inputs checked_inputs(const Problem& problem, Inputs inputs);

}  // namespace tilewalk
