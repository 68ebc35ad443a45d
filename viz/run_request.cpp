#include "viz/run_request.h"

#include <fmt/format.h>

#include "lessons/heads.h"
#include "sim/arch.h"
#include "sim/fault.h"
#include "viz/rivals.h"

namespace tilewalk::viz {
namespace {

// Beyond these, values would not come within a lecture's patience or a laptop's memory.
constexpr std::uint64_t most_memory = std::uint64_t{512} << 20;
constexpr double most_flops = 5e11;
constexpr std::size_t most_marks = 400;
constexpr std::uint64_t most_walked = 4'000'000;  // events

bool values_fit(const Plan& plan) {
  const Problem& p = plan.problem();
  const double flops = 4.0 * double(p.instances()) * double(p.n_q) * double(p.n_kv) * double(p.d);
  return memory_needed(plan) <= most_memory && flops <= most_flops;
}

std::vector<std::uint64_t> step_starts(const Timeline& timeline, StepSize size) {
  std::vector<std::uint64_t> starts;
  std::uint64_t position = 0;
  Event before;
  timeline.each(0, timeline.size(), [&](const Event& e) {
    if (position == 0 || begins_step(size, before, e, timeline.plan())) starts.push_back(position);
    before = e;
    ++position;
  });
  return starts;
}

std::vector<std::uint64_t> marks_of(const Timeline& timeline) {
  if (timeline.size() > most_walked) return {};
  for (const StepSize size : {StepSize::tile, StepSize::inner_loop}) {
    auto starts = step_starts(timeline, size);
    if (starts.size() <= most_marks) return starts;
  }
  return {};
}

std::shared_ptr<const Inputs> inputs_of(const RunRequest& request) {
  const Problem& p = request.problem;
  return std::make_shared<const Inputs>(request.given ? checked_inputs(p, *request.given)
                                                      : random_inputs(p, request.seed));
}

}  // namespace

LoadedRun load_run(const RunRequest& request, const Progress& progress) {
  const Algorithm& algorithm = algorithm_named(request.algorithm);
  const Tiling tiling = choose_tiling(request.tiling, algorithm, request.problem, request.arch);
  auto facts = std::make_shared<RunFacts>();
  facts->request = request;
  facts->plan = make_plan({&algorithm, request.problem, tiling, request.arch, request.fault});
  facts->too_large_for_values = !request.count_only && !values_fit(*facts->plan);
  if (!request.count_only && !facts->too_large_for_values) facts->inputs = inputs_of(request);
  facts->totals = count(facts->plan, progress);
  Timeline timeline(facts->plan, facts->inputs.get(), progress);
  facts->size = timeline.size();
  for (std::size_t k = 0; k <= facts->plan->kernels.size(); ++k)
    facts->kernel_starts.push_back(timeline.kernel_start(k));
  for (std::size_t k = 0; k < facts->plan->kernels.size(); ++k) facts->visits.emplace_back(*facts->plan, k);
  facts->marks = marks_of(timeline);
  count_rivals(*facts, progress);
  std::optional<Timeline> beside;
  if (facts->beside) beside.emplace(facts->beside, nullptr, progress);
  return {std::move(facts), std::move(timeline), std::move(beside)};
}

RunRequest run_request_of(const Request& request, const Algorithm& algorithm) {
  RunRequest run;
  run.algorithm = algorithm.name;
  run.problem = request.problem;
  run.tiling = request.tiling;
  run.arch = request.arch;
  run.fault = request.fault;
  run.seed = request.seed;
  run.head = request.head;
  if (request.given) run.given = std::make_shared<const Inputs>(*request.given);
  run.count_only = request.count_only;
  run.files = request.files;
  run.arch_file = request.arch_file;
  return run;
}

RunRequest default_request() {
  const Head& head = head_named("induction");
  RunRequest request;
  request.arch = arch_named("a100");
  request.head = head.name;
  request.given = std::make_shared<const Inputs>(load_head(head));
  request.problem.n_q = request.problem.n_kv = head.n;
  request.problem.d = head.d;
  request.problem.mask = parse_mask(head.mask);
  request.problem.scale = head.scale;
  request.tiling.block_q = request.tiling.block_kv = 32;
  return request;
}

void take_rows_of_head(RunRequest& request) {
  const Problem& p = request.problem;
  Inputs inputs = load_head(head_named(request.head));
  inputs.q.resize(static_cast<std::size_t>(p.n_q * p.d));
  inputs.k.resize(static_cast<std::size_t>(p.n_kv * p.d));
  inputs.v.resize(static_cast<std::size_t>(p.n_kv * p.d));
  request.given = std::make_shared<const Inputs>(std::move(inputs));
}

std::string title_of(const RunFacts& facts) {
  const Problem& p = facts.plan->problem();
  const Tiling& tiling = facts.plan->config.tiling;
  std::string text = fmt::format("{} · N {}", facts.plan->algorithm().name, p.n_q);
  if (p.n_kv != p.n_q) text += fmt::format(" × {}", p.n_kv);
  text += fmt::format(" · d {}", p.d);
  if (p.batch > 1) text += fmt::format(" · batch {}", p.batch);
  if (p.heads > 1) text += fmt::format(" · heads {}", p.heads);
  if (p.kv_heads != p.heads) text += fmt::format(" (K, V {})", p.kv_heads);
  text += fmt::format(" · Br {} · Bc {}", tiling.block_q, tiling.block_kv);
  if (!p.mask.is_none()) text += " · " + p.mask.spec();
  text += fmt::format(" · {} · {}", name_of(p.dtype), facts.plan->config.arch.name);
  if (!facts.request.head.empty()) text += " · " + facts.request.head;
  if (facts.request.fault) text += " · " + std::string(facts.request.fault->name);
  return text;
}

}  // namespace tilewalk::viz
