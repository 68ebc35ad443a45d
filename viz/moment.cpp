#include "viz/moment.h"

#include <algorithm>

namespace tilewalk::viz {

namespace {

// Before a CTA's first tile and after its last stand a few events of no tile; a kernel without tiles has no
// others.
constexpr std::uint64_t most_looked_at = 1024;

void find_tile(Moment& moment, Timeline& timeline) {
  const Kernel& kernel = timeline.plan().kernels[moment.location.launch];
  const std::uint64_t last = moment.position == 0 ? 0 : moment.position - 1;
  for (std::uint64_t back = 0; back <= std::min(last, most_looked_at); ++back) {
    const Event e = timeline.event(last - back);
    if (e.launch != moment.location.launch || e.cta / kernel.blocks != moment.instance) return;
    if (e.row < 0 || e.col < 0) continue;
    moment.tile = TileId{e.row, e.col};
    moment.in_tile = back == 0 && moment.done.has_value();
    return;
  }
}

}  // namespace

Moment moment_at(Timeline& timeline, std::uint64_t position, const Progress& progress) {
  Moment moment;
  moment.position = position = std::min(position, timeline.size());
  timeline.seek(position == 0 ? 0 : position - 1, progress);
  moment.before = timeline.state();
  timeline.seek(position, progress);
  moment.state = timeline.state();
  if (position > 0) moment.done = timeline.event(position - 1);
  if (position < timeline.size()) moment.next = timeline.event(position);
  if (timeline.size() > 0) {
    moment.location = timeline.locate(position == 0 ? 0 : position - 1);
    moment.instance = moment.location.cta / timeline.plan().kernels[moment.location.launch].blocks;
    find_tile(moment, timeline);
  }
  return moment;
}

}  // namespace tilewalk::viz
