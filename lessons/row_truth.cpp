#include "lessons/row_truth.h"

#include <algorithm>
#include <cmath>

namespace tilewalk {

double score_of(const Problem& p, const Inputs& inputs, std::int64_t row, std::int64_t col) {
  if (!p.visible(row, col)) return -INFINITY;
  double sum = 0;
  for (std::int64_t c = 0; c < p.d; ++c)
    sum += double(inputs.q[static_cast<std::size_t>(row * p.d + c)]) *
           double(inputs.k[static_cast<std::size_t>(col * p.d + c)]);
  return p.scale * sum;
}

RowTruth row_truth(const Problem& p, const Inputs& inputs, bool softmax, std::int64_t row) {
  RowTruth truth{-INFINITY, 0, -INFINITY, std::vector<double>(static_cast<std::size_t>(p.d))};
  std::vector<double> weights;
  for (std::int64_t j = 0; j < p.n_kv; ++j) {
    weights.push_back(score_of(p, inputs, row, j));
    truth.m = std::max(truth.m, weights.back());
  }
  for (double& weight : weights) {
    weight = std::isinf(weight) ? 0 : softmax ? std::exp(weight - truth.m) : weight;
    truth.l += weight;
  }
  if (truth.l > 0) truth.lse = truth.m + std::log(truth.l);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double weight = softmax && truth.l > 0 ? weights[j] / truth.l : weights[j];
    for (std::size_t c = 0; c < truth.o.size(); ++c)
      truth.o[c] += weight * double(inputs.v[j * truth.o.size() + c]);
  }
  return truth;
}

}  // namespace tilewalk
