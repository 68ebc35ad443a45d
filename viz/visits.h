// In which order a kernel visits the tiles of the score matrix, found by walking it.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/timeline.h"

namespace tilewalk::viz {

struct TileId {
  std::int64_t row = 0, col = 0;
  bool operator==(const TileId&) const = default;
};

class Visits {
 public:
  Visits(const Plan& plan, std::size_t launch);

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  std::int64_t count() const { return count_; }
  // How many tiles come before this one; `never` when it is not visited.
  std::int64_t turn(TileId tile) const;
  static constexpr std::int64_t never = -1;

 private:
  void walk();
  std::int64_t turn_by_rule(TileId tile) const;

  const Plan* plan_;
  std::size_t launch_;
  std::int64_t rows_, cols_, count_ = 0;
  std::vector<std::int32_t>
      turns_;  // row-major; empty for very many tiles, which follow the rule of the loops
};

// Position just after the first event of a tile in kernel `launch` and head `instance`; where there is none,
// the start of the CTA that would have it.
std::uint64_t position_of_tile(const Timeline& timeline, std::size_t launch, std::int64_t instance,
                               TileId tile);

}  // namespace tilewalk::viz
