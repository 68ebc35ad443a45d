// Whether two recorded runs of the same plan do the same: the same steps, the same bytes, the same m, l, O.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "sim/trace.h"

namespace tilewalk {

// The first event of a CTA that the other run does not have in the same place.
struct FlowDiff {
  std::uint8_t launch;
  std::int32_t cta, row, col;
  std::string expected, found;  // in words; "nothing" past the end
};

struct ValueDiff {
  std::uint8_t launch;
  std::int32_t cta, row, col;  // the tile of the score matrix
  std::string tile;            // "m", "l", "o", ...
  std::int64_t element_row,
      element_col;  // of a summed tile: column 0 the sum, 1 the sum of sizes, 2 an element
  double expected, found, allowed;

  bool is_in(const TileRecord& record) const;
  double times_allowed() const;  // |expected - found| / allowed
};

// What a tile of the score matrix came to, in times what is allowed, by watched tile.
struct TileDiff {
  std::uint8_t launch;
  std::int32_t cta, row, col;
  std::map<std::string, double> worst;

  double most() const;
};

struct TraceDiff {
  std::optional<FlowDiff> flow;
  std::vector<FlowDiff> flows;          // the first of each CTA that has one; `flow` is the first of them
  std::vector<TileDiff> tiles;          // of every tile that both runs have kept, in the order of `expected`
  std::optional<ValueDiff> value;       // of the first tile with one beyond what is allowed, the worst
  std::map<std::string, double> worst;  // per watched tile: largest |difference| / allowed
  std::string shape;  // the first record that holds other tiles than the plan's, or too many, in words
  bool agrees() const { return !flow && !value && shape.empty(); }
};

// What of the flow is compared. A GPU's trace knows `moves` alone: loads and stores, by tensor, tile and
// extent. Those that move nothing are left out.
enum class Flow : std::uint8_t { events, moves };

// `expected` is the sound run of `plan`, whose own fault is ignored. Order counts inside a CTA and agent
// only. The tolerances are |dm| <= 8 2^-24 max_j scale sum|q||k_j|, |dl|/l <= 1e-5 + 2 |dm|, |dO| <= (2
// ulp(P) + 1e-5) sum P|V|, and the same for scores and weights.
TraceDiff compare(const Plan& plan, const Inputs& inputs, const Trace& expected, const Trace& found,
                  Flow flow = Flow::events, const Progress& progress = {});

// What a summed tile keeps of row r: the sum, the sum of sizes, and element r % (size of the row).
std::array<double, 3> sum_of_row(std::span<const float> row, std::int64_t r);

}  // namespace tilewalk
