// HBM bytes by tensor: of a trace, which knows addresses, beside the model's counter, which knows no traces.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/trace.h"

namespace tilewalk {

// Bytes of one tensor in one direction, all CTAs together. `kernel`: what the trace's loads or stores move.
struct TensorBytes {
  std::string tensor;
  bool write;
  std::uint64_t model, kernel;
};

// Of every tensor and direction in which either moves anything.
std::vector<TensorBytes> compare_bytes(const std::shared_ptr<const Plan>& plan, const Trace& trace);

}  // namespace tilewalk
