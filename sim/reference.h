// Attention by its definition, in double precision, and how far a run may be from it.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/inputs.h"
#include "sim/plan.h"
#include "sim/progress.h"

namespace tilewalk {

// O = softmax(scale Q K^T, masked) V in float64, with m, l and L = m + log l of every row. A row that sees no
// key has O = 0, l = 0, m = L = -infinity. Without softmax: O = (scale Q K^T, hidden scores 0) V, and no
// statistics.
struct Reference {
  std::vector<double> o;          // instances x n_q x d
  std::vector<double> m, l, lse;  // instances x n_q
};
Reference reference(const Problem& problem, const Inputs& inputs, bool softmax,
                    const Progress& progress = {});

// The output of a run against the reference. Elements that are not finite must be so in both.
struct OutputCheck {
  double max_abs_error = 0;  // over elements finite in both
  double allowed_error = 0;
  std::uint64_t wrong_non_finite = 0;  // elements finite in only one of the two

  bool agrees() const { return wrong_non_finite == 0 && max_abs_error <= allowed_error; }
};

// f32: (1e-5 + 4 2^-24 max|logit|) max|V|; without softmax 1e-5 max of sum |S||V|. 16 bit: 2 max|R - ref| + 2
// max|(ref
// + 0.3 - 0.3) - ref|, where R is the reference with S, P and O rounded to the dtype wherever the algorithm's
// tensors are: once, or at every pass when its O goes through HBM between passes.
OutputCheck check_output(const Plan& plan, const Inputs& inputs, const std::vector<float>& o,
                         const Progress& progress = {});

}  // namespace tilewalk
