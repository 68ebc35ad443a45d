// What a traced kernel left in its buffers, as a Trace of the simulator's kind.
#pragma once

#include <string>

#include "gpu/device_job.h"
#include "sim/trace.h"

namespace tilewalk::gpu {

struct Converted {
  Trace trace;            // loads and stores, and a record for each tile of the score matrix
  std::string malformed;  // the first record that fits no tile of the plan, in words; "" when all do
};

// Tensor, tile and extent of each load and store come from its addresses and bytes alone.
Converted to_trace(const Plan& plan, const DeviceResult& result);

}  // namespace tilewalk::gpu
