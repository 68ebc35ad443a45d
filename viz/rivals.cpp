#include "viz/rivals.h"

#include <cmath>

#include "sim/error.h"

namespace tilewalk::viz {
namespace {

// Walking more tiles than these for each algorithm would hold up the first picture.
constexpr std::int64_t most_tiles = 300'000;

// The natural opposite: through HBM or on chip.
std::string_view opposite(std::string_view algorithm) {
  if (algorithm == "standard") return "flash2";
  if (algorithm == "standard_nosoftmax") return "fused_nosoftmax";
  return algorithm == "fused_nosoftmax" ? "standard_nosoftmax" : "standard";
}

// Null where it cannot run on these inputs and this machine.
std::shared_ptr<const Plan> plan_of(const RunRequest& request, const Algorithm& algorithm) {
  try {
    const Tiling tiling = choose_tiling(request.tiling, algorithm, request.problem, request.arch);
    return make_plan({&algorithm, request.problem, tiling, request.arch, nullptr});
  } catch (const RequestError&) {
    return nullptr;
  }
}

std::int64_t tiles_of(const Plan& plan) {
  const Kernel& kernel = plan.kernels.back();
  return kernel.q_blocks * kernel.kv_blocks;
}

}  // namespace

void count_rivals(RunFacts& facts, const Progress& progress) {
  facts.rivals.push_back(facts.totals);
  const Algorithm& own = facts.plan->algorithm();
  for (const Algorithm* other : algorithms()) {
    const bool beside = facts.request.alone && other->name == opposite(own.name);
    if (other == &own || other->softmax != own.softmax) continue;
    const auto plan = plan_of(facts.request, *other);
    if (!plan || (!beside && tiles_of(*plan) > most_tiles)) continue;
    facts.rivals.push_back(count(plan, progress));
    if (beside) facts.beside = plan;
  }
}

Counts counts_as_far(Timeline& beside, const Timeline& run, const Progress& progress) {
  const double share = run.size() == 0 ? 1 : double(run.position()) / double(run.size());
  beside.seek(static_cast<std::uint64_t>(std::llround(share * double(beside.size()))), progress);
  return beside.state().total();
}

}  // namespace tilewalk::viz
