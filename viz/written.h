// Which blocks of a tensor in HBM have been written at a moment.
#pragma once

#include "viz/frame.h"

namespace tilewalk::viz {

// Blocks of the run's own tiling; 1 along an axis that is not cut.
struct BlockGrid {
  std::int64_t rows = 1, cols = 1;
};
BlockGrid blocks_of_tensor(const Plan& plan, const Tensor& tensor);

// With values, what the tensor itself says. Without, what the bytes stored so far amount to: every kernel
// writes a tensor in the order of its loops.
class Written {
 public:
  Written(const RunFrame& run, std::size_t tensor);
  bool block(std::int64_t row, std::int64_t col) const;  // all of it

 private:
  std::int64_t elements_stored() const;
  bool counted(std::int64_t last_row, std::int64_t last_col, std::int64_t row, std::int64_t col) const;

  const RunFrame& run_;
  std::size_t index_;
  const Tensor& tensor_;
  bool is_input_, by_value_;
  std::int64_t instance_, stored_;  // stored_: elements of this instance, at least
};

}  // namespace tilewalk::viz
