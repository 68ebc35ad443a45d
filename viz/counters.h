// What the counters view shows: one column a run, and one for the algorithm that runs along with a single
// one.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "viz/frame.h"

namespace tilewalk::viz {

struct Counted {
  std::string name;
  const Plan* plan;
  const Run* whole;
  Counts so_far;
  bool shadow = false;  // runs along, and is not itself on the screen
};

std::vector<Counted> counted(const Frame& frame);

// Bytes read and written, of one level or tensor, a pair for each column.
struct Traffic {
  std::string label;
  std::vector<std::array<std::uint64_t, 2>> bytes;

  std::uint64_t most() const;  // read and written, of the column with the most
};

// Levels of the machine, and tensors that some column moves over HBM. So far.
std::vector<Traffic> traffic_by_level(const std::vector<Counted>& columns);
std::vector<Traffic> traffic_by_tensor(const std::vector<Counted>& columns);

std::uint64_t hbm_total(const Counts& counts, const Plan& plan);

}  // namespace tilewalk::viz
