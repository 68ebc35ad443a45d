#include "viz/counters.h"

#include <algorithm>

#include "sim/fault.h"

namespace tilewalk::viz {
namespace {

// Two runs of one algorithm are told apart by their blocks.
std::string name_of_run(const Frame& frame, std::size_t n) {
  const Plan& plan = frame.runs[n].plan();
  std::string name(plan.algorithm().name);
  const auto same = [&](const RunFrame& other) {
    return other.plan().config.algorithm == plan.config.algorithm;
  };
  if (std::count_if(frame.runs.begin(), frame.runs.end(), same) > 1)
    name += fmt::format(" {}×{}", plan.config.tiling.block_q, plan.config.tiling.block_kv);
  if (plan.config.fault) name += fmt::format(" ({})", plan.config.fault->name);
  return name;
}

const Run* total_of(const RunFacts& facts, const Plan* plan) {
  for (const Run& run : facts.rivals) {
    if (run.plan.get() == plan) return &run;
  }
  return nullptr;
}

}  // namespace

std::vector<Counted> counted(const Frame& frame) {
  std::vector<Counted> columns;
  for (std::size_t n = 0; n < frame.runs.size(); ++n) {
    const RunFrame& run = frame.runs[n];
    columns.push_back({name_of_run(frame, n), &run.plan(), &run.facts.totals, run.moment.state.total()});
  }
  if (columns.size() != 1 || !frame.runs.front().facts.beside) return columns;
  const RunFacts& facts = frame.runs.front().facts;
  const Plan* plan = facts.beside.get();
  columns.push_back({std::string(plan->algorithm().name), plan, total_of(facts, plan),
                     frame.runs.front().moment.beside, true});
  return columns;
}

std::uint64_t Traffic::most() const {
  std::uint64_t most = 0;
  for (const auto& [read, written] : bytes) most = std::max(most, read + written);
  return most;
}

std::vector<Traffic> traffic_by_level(const std::vector<Counted>& columns) {
  std::vector<Traffic> rows;
  const auto& levels = columns.front().plan->config.arch.levels;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    Traffic row{levels[level].name, {}};
    for (const Counted& c : columns) {
      const bool has = level < c.plan->config.arch.levels.size();
      const int n = static_cast<int>(level);
      row.bytes.push_back({has ? c.so_far.total(n, false) : 0, has ? c.so_far.total(n, true) : 0});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Traffic> traffic_by_tensor(const std::vector<Counted>& columns) {
  std::vector<Traffic> rows;
  const auto row_named = [&](std::string_view name) -> Traffic& {
    for (Traffic& row : rows) {
      if (row.label == name) return row;
    }
    return rows.emplace_back(
        Traffic{std::string(name), std::vector<std::array<std::uint64_t, 2>>(columns.size())});
  };
  for (std::size_t n = 0; n < columns.size(); ++n) {
    const Plan& plan = *columns[n].plan;
    const auto hbm = static_cast<std::size_t>(plan.config.arch.level("hbm"));
    for (std::size_t t = 0; t < plan.tensors.size(); ++t) {
      const auto &whole = columns[n].whole->total.bytes[hbm], &so_far = columns[n].so_far.bytes[hbm];
      if (whole[0][t] + whole[1][t] == 0) continue;
      row_named(plan.tensors[t].name).bytes[n] = {so_far[0][t], so_far[1][t]};
    }
  }
  return rows;
}

std::uint64_t hbm_total(const Counts& counts, const Plan& plan) {
  return counts.total(plan.config.arch.level("hbm"));
}

}  // namespace tilewalk::viz
