#include "viz/divergence.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "sim/describe.h"

namespace tilewalk::viz {
namespace {

constexpr double most_bytes = 128e6;     // of what is kept after each tile
constexpr double most_elements = 4.2e6;  // of the score matrix; bounds are computed for each
constexpr std::uint64_t most_events = 1'000'000;

using Key = std::tuple<int, std::int32_t, std::int32_t, std::int32_t>;  // launch, CTA, row, col

bool is_small(const Plan& plan, std::uint64_t events) {
  const Problem& p = plan.problem();
  double bytes = 0;
  for (const Kernel& kernel : plan.kernels) {
    double of_tile = 0;
    for (const Tile& tile : kernel.tiles)
      of_tile += tile.watched ? double(tile.most_rows) * double(tile.most_cols) * 4 : 0;
    bytes += of_tile * double(kernel.q_blocks) * double(kernel.kv_blocks) * double(p.instances());
  }
  const double elements = double(p.n_q) * double(p.n_kv) * double(p.instances());
  return bytes <= most_bytes && elements <= most_elements && events <= most_events;
}

// Just after the last event of each tile.
std::map<Key, std::uint64_t> ends_of_tiles(const std::shared_ptr<const Plan>& plan) {
  std::map<Key, std::uint64_t> ends;
  const Timeline timeline(plan);
  std::uint64_t position = 0;
  timeline.each(0, timeline.size(), [&](const Event& e) {
    ends[{e.launch, e.cta, e.row, e.col}] = ++position;
  });
  return ends;
}

std::string words_of(const Plan& plan, const TraceDiff& diff) {
  if (const auto& f = diff.flow)
    return fmt::format("{}: '{}' ≠ '{}'", describe_place(plan, f->launch, f->cta, f->row, f->col),
                       f->expected, f->found);
  const auto& v = diff.value;
  if (!v) return "";
  return fmt::format("{}: {}[{}, {}] = {:.7g} ≠ {:.7g} (×{:.3g})",
                     describe_place(plan, v->launch, v->cta, v->row, v->col), v->tile, v->element_row,
                     v->element_col, v->found, v->expected, v->times_allowed());
}

}  // namespace

Divergence divergence_of(const std::shared_ptr<const Plan>& plan, const Inputs& inputs, const Trace& found,
                         Flow flow, const Progress& progress) {
  RunConfig config = plan->config;
  config.fault = nullptr;
  const auto sound = make_plan(config);
  const Trace expected = record(sound, &inputs, most_events, progress);
  Divergence result;
  result.diff = compare(*sound, inputs, expected, found, flow, progress);
  const auto ends = ends_of_tiles(plan);
  const auto mark = [&](const Key& key) {
    const auto end = ends.find(key);
    if (end != ends.end()) result.ticks.push_back(end->second);
  };
  for (const FlowDiff& f : result.diff.flows) mark({f.launch, f.cta, f.row, f.col});
  for (const TileDiff& t : result.diff.tiles) {
    if (t.most() > 1) mark({t.launch, t.cta, t.row, t.col});
  }
  std::sort(result.ticks.begin(), result.ticks.end());
  result.ticks.erase(std::unique(result.ticks.begin(), result.ticks.end()), result.ticks.end());
  if (!result.ticks.empty()) result.first = result.ticks.front();
  result.words = words_of(*sound, result.diff);
  return result;
}

std::shared_ptr<const Divergence> divergence_of(const RunFacts& facts, const Progress& progress) {
  if (!facts.plan->config.fault || !facts.inputs || !is_small(*facts.plan, facts.size)) return nullptr;
  const Trace found = record(facts.plan, facts.inputs.get(), most_events, progress);
  return std::make_shared<const Divergence>(
      divergence_of(facts.plan, *facts.inputs, found, Flow::events, progress));
}

}  // namespace tilewalk::viz
