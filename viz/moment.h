// A run at a position: all that views know of it. Immutable, so that it can be drawn while the run goes on.
#pragma once

#include <optional>

#include "sim/timeline.h"
#include "viz/visits.h"

namespace tilewalk::viz {

struct Moment {
  std::uint64_t position = 0;
  std::optional<Event> done, next;  // the event before and after the position
  MachineState state;               // after `done`
  MachineState before;              // ahead of `done`: what a merge started from
  Location location;                // of `done`, or of the first event
  std::int64_t instance = 0;        // which of batch x heads is at work
  Counts beside;                    // of the algorithm that runs along, as far in

  std::optional<TileId>
      tile;              // of the score matrix: the one at work, or the last one of this kernel and head
  bool in_tile = false;  // it is at work

  // The event that the picture is about: the one just done, or the first.
  const std::optional<Event>& current() const { return done ? done : next; }
};

Moment moment_at(Timeline& timeline, std::uint64_t position, const Progress& progress = {});

}  // namespace tilewalk::viz
