// One row of attention by its definition, in float64: a lesson that names a few rows need not compute all.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/inputs.h"
#include "sim/problem.h"

namespace tilewalk {

// The score of query `row` for key `col` in the first head, scaled; -infinity where the mask hides it.
double score_of(const Problem& problem, const Inputs& inputs, std::int64_t row, std::int64_t col);

// As Reference (sim/reference.h) has it. m, l and lse have no meaning without softmax.
struct RowTruth {
  double m, l, lse;
  std::vector<double> o;  // d
};
RowTruth row_truth(const Problem& problem, const Inputs& inputs, bool softmax, std::int64_t row);

}  // namespace tilewalk
