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

constexpr std::size_t longest_story = 64;

bool in_some_tile(const Event& e) { return e.row >= 0 && e.col >= 0; }

// From here on the running values are not what they were ahead of the tile.
bool turns(const Event& e) {
  return e.op == Op::online_softmax || e.op == Op::block_softmax || e.op == Op::softmax ||
         (e.op == Op::gemm && (e.flags & flag::accumulate));
}

void find_story(Moment& moment, Timeline& timeline) {
  std::optional<Event> tile;
  std::uint64_t begin = moment.position;
  for (; begin > 0 && moment.story.size() < longest_story; --begin) {
    const Event e = timeline.event(begin - 1);
    if (!moment.story.empty() &&
        (e.launch != moment.story.front().launch || e.cta != moment.story.front().cta))
      break;
    if (tile && (e.row != tile->row || e.col != tile->col)) break;
    if (in_some_tile(e)) tile = e;
    moment.story.push_back(e);
  }
  std::reverse(moment.story.begin(), moment.story.end());
  const auto turn = std::find_if(moment.story.begin(), moment.story.end(), turns);
  moment.turn = static_cast<std::size_t>(turn - moment.story.begin());
  moment.merging_at = begin + moment.turn;
}

}  // namespace

const Event* last_write(const Moment& moment, TileHandle tile) {
  for (auto e = moment.story.rbegin(); e != moment.story.rend(); ++e) {
    const Uses uses = uses_of(e->op);
    for (int n = 0; n < uses.count; ++n) {
      if (e->operand[n] == tile && use_of(*e, uses, n).writes) return &*e;
    }
  }
  return nullptr;
}

Moment moment_at(Timeline& timeline, std::uint64_t position, const Progress& progress, const Moment* last) {
  Moment moment;
  moment.position = position = std::min(position, timeline.size());
  find_story(moment, timeline);
  if (moment.turn < moment.story.size()) {  // first, so that the way leads forward
    const bool known = last && last->merging && last->merging_at == moment.merging_at;
    if (!known) timeline.seek(moment.merging_at, progress);
    moment.merging = known ? last->merging : std::make_shared<const MachineState>(timeline.state());
  }
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
