// Broken variants of the kernels, built from the same sources, to show that verify finds them. Plain C++17.
#pragma once

#include <cstdint>

namespace tilewalk::gpu {

// Names as those of the simulator's faults (sim/fault.cpp), where it has them.
enum class Fault : std::uint8_t {
  none,
  no_rescale,         // O is not rescaled when the running maximum grows
  per_tile_softmax,   // each tile is normalised by itself and added, without a merge
  skip_tail_mask,     // the padding of the last key block is not masked
  causal_off_by_one,  // every row sees one key of the future
  stale_tile,         // the second block of K is not loaded: what was there before is used
  double_load,        // the second block of K is loaded twice
  missing_barrier,    // scores are read before all of them are there
};

}  // namespace tilewalk::gpu
