// A run at a position: all that views know of it. Immutable, so that it can be drawn while the run goes on.
#pragma once

#include <memory>
#include <optional>
#include <vector>

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

  // What the CTA did up to the position: from the first event of its last tile on; before its first tile,
  // from its own first event on. Both are bounded.
  std::vector<Event> story;
  // The state ahead of the event of the story from which on the running values m, l and O change, and that
  // event's place in the story; null: it has not come yet.
  std::shared_ptr<const MachineState> merging;
  std::size_t turn = 0;
  std::uint64_t merging_at = 0;  // position of that state

  // The event that the picture is about: the one just done, or the first.
  const std::optional<Event>& current() const { return done ? done : next; }
};

// `last`: the moment before, whose `merging` is taken over where it is the same.
Moment moment_at(Timeline& timeline, std::uint64_t position, const Progress& progress = {},
                 const Moment* last = nullptr);

// The last event of the story that wrote the tile; null: none of them did.
const Event* last_write(const Moment& moment, TileHandle tile);

}  // namespace tilewalk::viz
