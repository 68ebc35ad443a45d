// What is computed: O = softmax(scale * Q K^T, masked) V, for every batch and head.
#pragma once

#include <cstdint>

#include "sim/dtype.h"
#include "sim/mask.h"

namespace tilewalk {

// Q: batch x heads x n_q x d.  K, V: batch x kv_heads x n_kv x d.  O: as Q.  Query head h reads key/value
// head h / (heads / kv_heads).
struct Problem {
  std::int64_t batch = 1, heads = 1, kv_heads = 1;
  std::int64_t n_q = 1024, n_kv = 1024, d = 64;
  DType dtype = DType::f16;
  Mask mask;
  float scale = 0.125f;

  std::int64_t instances() const { return batch * heads; }  // independent attention computations
  std::int64_t shift() const { return n_kv - n_q; }         // aligns the masks' diagonal at the bottom right
  // Which of the batch * kv_heads key/value matrices the instance reads.
  std::int64_t kv_instance(std::int64_t instance) const {
    return instance / heads * kv_heads + instance % heads / (heads / kv_heads);
  }
  bool visible(std::int64_t i, std::int64_t j) const { return mask.visible(i, j, shift()); }
};

float default_scale(std::int64_t d);  // 1/sqrt(d), rounded to float

// Throws RequestError unless every size is in range, kv_heads divides heads, a block mask covers the matrix,
// and the byte counts of the run fit 64 bits.
void validate(const Problem& problem);

}  // namespace tilewalk
