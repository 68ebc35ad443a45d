#include "lessons/quantities.h"

#include <algorithm>
#include <cmath>

#include "lessons/element.h"
#include "lessons/sourced.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

// Plain numbers of a run.
struct RunNumber {
  std::string_view name;
  double (*of)(OpenRun&);
  Origins origins;
};

const Problem& problem(OpenRun& run) { return run.plan().problem(); }
const Kernel& last(OpenRun& run) { return run.plan().kernels.back(); }
double capacity(OpenRun& run, const char* level) {
  const Arch& arch = run.plan().config.arch;
  return double(arch.levels[static_cast<std::size_t>(arch.level(level))].capacity);
}
Theory theory(OpenRun& run) {
  Theory theory = run.algorithm().theory(problem(run), run.plan().config.tiling);
  if (!theory.known) throw RequestError("theory: this run has no closed form");
  return theory;
}
double hbm_rate(OpenRun& run) {
  double rate = 0;
  for (const Link& link : run.plan().config.arch.links) {
    if (link.from == "hbm" || link.to == "hbm") rate = std::max(rate, link.bandwidth);
  }
  return rate;
}

constexpr RunNumber table[] = {
    {"n", [](OpenRun& r) { return double(problem(r).n_q); }, from_nowhere},
    {"n_kv", [](OpenRun& r) { return double(problem(r).n_kv); }, from_nowhere},
    {"d", [](OpenRun& r) { return double(problem(r).d); }, from_nowhere},
    {"heads", [](OpenRun& r) { return double(problem(r).heads); }, from_nowhere},
    {"batch", [](OpenRun& r) { return double(problem(r).batch); }, from_nowhere},
    {"scale", [](OpenRun& r) { return double(problem(r).scale); }, from_nowhere},
    {"elem", [](OpenRun& r) { return double(size_of(problem(r).dtype)); }, from_nowhere},
    {"block_q", [](OpenRun& r) { return double(r.plan().config.tiling.block_q); }, from_nowhere},
    {"block_kv", [](OpenRun& r) { return double(r.plan().config.tiling.block_kv); }, from_nowhere},
    {"tr", [](OpenRun& r) { return double(last(r).q_blocks); }, from_nowhere},
    {"tc", [](OpenRun& r) { return double(last(r).kv_blocks); }, from_nowhere},
    {"kernels", [](OpenRun& r) { return double(r.plan().kernels.size()); }, from_model},
    {"ctas", [](OpenRun& r) { return double(last(r).ctas); }, from_model},
    {"events", [](OpenRun& r) { return double(r.counts().total.events); }, from_model},
    {"matmul_flops", [](OpenRun& r) { return double(r.counts().total.flops.matmul); }, from_model},
    {"exponentials", [](OpenRun& r) { return double(r.counts().total.flops.exp); }, from_model},
    {"other_flops", [](OpenRun& r) { return double(r.counts().total.flops.other); }, from_model},
    {"useful_flops", [](OpenRun& r) { return double(r.counts().useful_flops()); }, from_theory},
    {"intensity", [](OpenRun& r) { return r.counts().intensity(); }, from_model},
    {"time", [](OpenRun& r) { return r.counts().time_estimate(); }, from_model},
    {"time_memory", [](OpenRun& r) { return r.counts().time().memory; }, from_model},
    {"time_compute", [](OpenRun& r) { return r.counts().time().compute; }, from_model},
    {"footprint", [](OpenRun& r) { return double(r.counts().hbm_footprint()); }, from_model},
    {"compulsory", [](OpenRun& r) { return double(r.counts().compulsory_bytes()); }, from_theory},
    {"theory", [](OpenRun& r) { return theory(r).hbm_bytes; }, from_theory},
    {"sram_peak", [](OpenRun& r) { return double(r.counts().peak("sram")); }, from_model},
    {"reg_peak", [](OpenRun& r) { return double(r.counts().peak("reg")); }, from_model},
    {"error", [](OpenRun& r) { return r.executed().check->max_abs_error; }, from_model},
    {"allowed", [](OpenRun& r) { return r.executed().check->allowed_error; }, from_theory},
    {"wrong_non_finite", [](OpenRun& r) { return double(r.executed().check->wrong_non_finite); }, from_model},
    {"sram_capacity", [](OpenRun& r) { return capacity(r, "sram"); }, from_publication},
    {"reg_capacity", [](OpenRun& r) { return capacity(r, "reg"); }, from_publication},
    {"l2_capacity", [](OpenRun& r) { return capacity(r, "l2"); }, from_publication},
    {"hbm_capacity", [](OpenRun& r) { return capacity(r, "hbm"); }, from_publication},
    {"hbm_bandwidth", hbm_rate, from_publication},
    {"sram_bandwidth", [](OpenRun& r) { return r.plan().config.arch.bandwidth("sram", "reg"); },
     from_publication},
    {"peak_flops", [](OpenRun& r) { return r.plan().config.arch.matmul_rate(problem(r).dtype); },
     from_publication},
    {"sms", [](OpenRun& r) { return double(r.plan().config.arch.sms); }, from_publication},
    {"exp_rate",
     [](OpenRun& r) {
       const Arch& arch = r.plan().config.arch;
       return arch.exp_per_clock * arch.sms * arch.clock;
     },
     from_publication},
};

Value of_model(double number, const Origins& origins, OpenRun& run) {
  Value value{number, origins, {}};
  if (origins.published)
    value.sources.push_back(run.plan().config.arch.name + ": " + run.plan().config.arch.source);
  return value;
}

int tensor_index(const std::string& name, OpenRun& run) {
  const int found = run.plan().tensors.find(name);
  if (found >= 0) return found;
  std::vector<std::string_view> known;
  for (const Tensor& tensor : run.plan().tensors) known.push_back(tensor.name);
  throw RequestError(unknown_name("tensor", name, known));
}

using Path = std::span<const std::string>;

// "hbm", "hbm_read.K", "sram_write": of some counts. Nothing when the path does not begin with a level.
std::optional<double> bytes_in(const Counts& counts, Path path, OpenRun& run) {
  std::string name = path[0];
  bool read = true, written = true;
  if (name.ends_with("_read")) {
    name.resize(name.size() - 5);
    written = false;
  } else if (name.ends_with("_write")) {
    name.resize(name.size() - 6);
    read = false;
  }
  const auto& levels = run.plan().config.arch.levels;
  const auto level =
      std::find_if(levels.begin(), levels.end(), [&](const Level& l) { return l.name == name; });
  if (level == levels.end() || path.size() > 2) return std::nullopt;
  const auto index = static_cast<std::size_t>(level - levels.begin());
  double sum = 0;
  for (const bool write : {false, true}) {
    if (!(write ? written : read)) continue;
    sum += double(path.size() == 1
                      ? counts.total(static_cast<int>(index), write)
                      : counts.bytes[index][write][static_cast<std::size_t>(tensor_index(path[1], run))]);
  }
  return sum;
}

// Of a recording: the bytes that the kernel's own loads and stores moved.
double recorded_bytes(Path path, OpenRun& run) {
  if (!run.is_recorded()) throw RequestError("'recorded' is a recorded run's; its words are 'recorded NAME'");
  Counts counts;
  for (const Event& e : run.recording().trace.events) counts.add(cost_of(e, run.plan()));
  if (const auto bytes = path.empty() ? std::nullopt : bytes_in(counts, path, run)) return *bytes;
  throw RequestError("after 'recorded' comes e.g. hbm_read.K");
}

Value difference(Path path, OpenRun& run) {
  const TraceDiff& diff = run.difference();
  const Origins origins = run.is_recorded() ? from_model | from_measurement : from_model;
  Value value{0, origins,
              run.is_recorded() ? std::vector<std::string>{"recorded run of a kernel on an H200"}
                                : std::vector<std::string>{}};
  const std::string name = path.empty() ? "" : path[0];
  if (name == "found")
    value.number = !diff.agrees();
  else if (name == "is_flow")
    value.number = diff.flow.has_value();
  else if (name == "worst" && path.size() == 2 && diff.worst.contains(path[1]))
    value.number = diff.worst.at(path[1]);
  else if (diff.agrees())
    throw RequestError("diff." + name + ": the runs agree");
  else if (name == "row")
    value.number = diff.value ? diff.value->row : diff.flow->row;
  else if (name == "col")
    value.number = diff.value ? diff.value->col : diff.flow->col;
  else if (name == "flow_row" && diff.flow)
    value.number = diff.flow->row;
  else if (name == "flow_col" && diff.flow)
    value.number = diff.flow->col;
  else if (name == "element_row" && diff.value)
    value.number = double(diff.value->element_row);
  else if (name == "expected" && diff.value)
    value.number = diff.value->expected;
  else if (name == "value" && diff.value)
    value.number = diff.value->found;
  else if (name == "times_allowed" && diff.value)
    value.number = diff.value->times_allowed();
  else
    throw RequestError(
        "diff has found, is_flow, row, col, flow_row, flow_col, element_row, expected, value, times_allowed, "
        "worst.m");
  return value;
}

Value place(Path path, const Scene& scene) {
  const std::uint64_t position = scene.position();
  if (path[0] == "position") return {double(position), from_model, {}};
  const auto next = next_tile(scene.first(), position);
  if (!next) throw RequestError("next_tile: the run ends with this tile");
  return {double(path.size() > 1 && path[1] == "col" ? next->second : next->first), from_model, {}};
}

// A run's quantity, whatever the position.
Value of_run(Path path, OpenRun& run) {
  if (path.empty()) throw RequestError("a quantity is missing after the run's name; say e.g. hbm");
  if (path[0] == "diff") return difference(path.subspan(1), run);
  if (path[0] == "recorded")
    return {recorded_bytes(path.subspan(1), run), from_measurement, {"recorded run of a kernel on an H200"}};
  if (path[0] == "kernel" && path.size() > 2) {
    const auto& kernels = run.plan().kernels;
    const auto found =
        std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& k) { return k.row->name == path[1]; });
    if (found == kernels.end()) throw RequestError("the run has no kernel '" + shown(path[1]) + "'");
    const auto k = static_cast<std::size_t>(found - kernels.begin());
    if (path[2] == "time")
      return {kernel_time(run.counts().kernels[k], *found, run.plan()).estimate(), from_model, {}};
    if (const auto bytes = bytes_in(run.counts().kernels[k], path.subspan(2), run))
      return {*bytes, from_model, {}};
  }
  if (path.size() == 1) {
    for (const RunNumber& row : table) {
      if (row.name == path[0]) return of_model(row.of(run), row.origins, run);
    }
  }
  if (const auto bytes = bytes_in(run.counts().total, path, run)) return {*bytes, from_model, {}};
  std::vector<std::string_view> known;
  for (const RunNumber& row : table) known.push_back(row.name);
  for (const char* name :
       {"hbm", "hbm_read", "hbm_write", "sram", "reg", "so_far", "kernel", "diff", "published", "measured"})
    known.push_back(name);
  throw RequestError(unknown_name("quantity", path[0], known));
}

}  // namespace

OpenRun& Scene::run(const std::string& name) const {
  const LessonRun* found = lesson.run(name);
  if (!found) throw RequestError("there is no run '" + shown(name) + "'");
  return shelf.open(found->words);
}

Value quantity_of(const Quantity& quantity, std::span<const double> indices, const Scene& scene) {
  Path path = quantity.path;
  if (path[0] == "published" || path[0] == "measured") return sourced(quantity);
  const bool named = scene.lesson.run(path[0]) != nullptr;
  OpenRun& run = named ? scene.run(path[0]) : scene.first();
  // The step's own position is that of its first run; of other runs, the end is meant.
  const bool here = !named || path[0] == scene.step.runs[0];
  if (named) path = path.subspan(1);
  if (quantity.indexed)
    return element_of(path, indices, run, here ? scene.position() : run.timeline().size());
  if (path.empty()) return of_run(path, run);
  if (path[0] == "row" && path.size() == 1) {
    if (scene.step.row < 0) throw RequestError("row: the step selects none; add 'row: 5' to it");
    return {double(scene.step.row), from_nowhere, {}};
  }
  if (path[0] == "position" || path[0] == "next_tile") return place(path, scene);
  if (path[0] == "so_far" && path.size() > 1) {
    run.timeline().seek(here ? scene.position() : run.timeline().size());
    if (const auto bytes = bytes_in(run.timeline().state().total(), path.subspan(1), run))
      return {*bytes, from_model, {}};
  }
  return of_run(path, run);
}

std::optional<std::pair<std::int64_t, std::int64_t>> next_tile(OpenRun& run, std::uint64_t position) {
  Timeline& timeline = run.timeline();
  const auto is_tile = [](const Event& e) { return e.row >= 0 && e.col >= 0; };
  std::int64_t row = -1, col = -1;
  if (position > 0 && is_tile(timeline.event(position - 1))) {
    row = timeline.event(position - 1).row;
    col = timeline.event(position - 1).col;
  }
  for (std::uint64_t n = position; n < timeline.size(); ++n) {
    const Event e = timeline.event(n);
    if (is_tile(e) && (e.row != row || e.col != col))
      return std::pair<std::int64_t, std::int64_t>{e.row, e.col};
  }
  return std::nullopt;
}

}  // namespace tilewalk
