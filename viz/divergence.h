// Where a run leaves what it should do: a faulty schedule the sound one, or a GPU the model. Found tile by
// tile.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/compare.h"
#include "sim/timeline.h"
#include "viz/run_request.h"

namespace tilewalk::viz {

struct Divergence {
  TraceDiff diff;
  // Positions just after the last event of each tile that is beyond what is allowed or flows otherwise.
  std::vector<std::uint64_t> ticks;
  std::optional<std::uint64_t> first;  // the first of them
  std::string words;                   // about the first one; "" when all agrees
};

// `found` against the sound run of the same plan. Throws what `progress` throws.
Divergence divergence_of(const std::shared_ptr<const Plan>& plan, const Inputs& inputs, const Trace& found,
                         Flow flow, const Progress& progress);

// Of a faulty schedule; null without a fault or values, and for runs too large to be kept twice.
std::shared_ptr<const Divergence> divergence_of(const RunFacts& facts, const Progress& progress);

}  // namespace tilewalk::viz
