#include "sim/plan.h"

#include <algorithm>

#include "sim/blocks.h"
#include "sim/error.h"
#include "sim/fault.h"

namespace tilewalk {
namespace {

std::int64_t length(Axis axis, const Problem& p) {
  switch (axis) {
    case Axis::one: return 1;
    case Axis::d: return p.d;
    case Axis::q: return p.n_q;
    case Axis::kv: return p.n_kv;
  }
  return 0;
}

DType stored_type(StoredAs as, const Problem& p) { return as == StoredAs::f32 ? DType::f32 : p.dtype; }

Kernel make_kernel(const Launch& launch, const TensorTable& tensors, const Problem& p, const Arch& arch) {
  Kernel kernel{launch.row, launch.tiling, 0, 0, 0, 0, {}};
  kernel.q_blocks = blocks_of(p.n_q, launch.tiling.block_q);
  kernel.kv_blocks = std::max<std::int64_t>(1, blocks_of(p.n_kv, launch.tiling.block_kv));
  kernel.blocks = launch.row->grid == Grid::per_head ? 1 : kernel.q_blocks;
  kernel.ctas = kernel.blocks * p.instances();
  if (kernel.ctas > INT32_MAX || kernel.kv_blocks > INT32_MAX) {
    throw RequestError("--block-q " + std::to_string(launch.tiling.block_q) + ": gives " +
                       std::to_string(kernel.ctas) +
                       " thread blocks, more than a grid holds; use larger blocks");
  }
  for (const TileRow& row : launch.row->tiles) {
    const auto most = [&](Axis axis) { return std::min(length(axis, p), kernel.extent(axis, 0, p)); };
    kernel.tiles.push_back({row.name, tensors.find(row.tensor), row.rows, row.cols, most(row.rows),
                            most(row.cols), stored_type(row.type, p), arch.level(row.level), row.watched});
  }
  return kernel;
}

std::string tile_list(const Kernel& kernel, int level) {
  std::string list;
  for (const Tile& tile : kernel.tiles) {
    if (tile.level == level) {
      list += (list.empty() ? "" : ", ") + std::string(tile.name) + " " + std::to_string(tile.most_rows) +
              "x" + std::to_string(tile.most_cols);
    }
  }
  return list;
}

void check_block(const std::string& flag, std::int64_t block) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  if (block >= 1 && block <= most) return;
  throw RequestError(flag + " " + std::to_string(block) + ": must be at least 1 and at most " +
                     std::to_string(most) + ", e.g. 64");
}

bool fits(RunConfig config, const Tiling& tiling) {
  config.tiling = tiling;
  return draft_plan(std::move(config)).misfit().empty();
}

// The largest smaller block_kv, then block_q, at which the run fits; "" when not even single rows do.
std::string what_fits(const RunConfig& config) {
  for (Tiling tiling = config.tiling; tiling.block_kv >= 1; tiling.block_kv /= 2) {
    if (fits(config, tiling)) return "; --block-kv " + std::to_string(tiling.block_kv) + " would fit";
  }
  Tiling tiling = config.tiling;
  while (tiling.block_q > 1 || tiling.block_kv > 1) {
    tiling.block_kv = std::max<std::int64_t>(1, tiling.block_kv / 2);
    tiling.block_q = std::max<std::int64_t>(1, tiling.block_q / 2);
    if (!fits(config, tiling)) continue;
    return "; --block-q " + std::to_string(tiling.block_q) + " --block-kv " +
           std::to_string(tiling.block_kv) + " would fit";
  }
  return "; not even blocks of one row fit: choose a smaller --d or another --arch";
}

}  // namespace

std::uint64_t Tensor::bytes(const Problem& p) const {
  const std::int64_t copies = p.batch * (rows == Axis::kv ? p.kv_heads : p.heads);
  return static_cast<std::uint64_t>(copies * n_rows * n_cols) * size_of(type);
}

TensorTable::TensorTable(const Algorithm& algorithm, const Problem& p, const Arch& arch) {
  for (const TensorRow& row : algorithm.tensors) {
    tensors_.push_back({row.name, row.rows, row.cols, length(row.rows, p), length(row.cols, p),
                        stored_type(row.type, p), arch.level(row.home), row.counted});
  }
}

int TensorTable::find(std::string_view name) const {
  for (std::size_t n = 0; n < tensors_.size(); ++n) {
    if (tensors_[n].name == name) return static_cast<int>(n);
  }
  return -1;
}

int Kernel::find(std::string_view tile) const {
  for (std::size_t n = 0; n < tiles.size(); ++n) {
    if (tiles[n].name == tile) return static_cast<int>(n);
  }
  return -1;
}

std::uint64_t Kernel::footprint(int level) const {
  std::uint64_t bytes = 0;
  for (const Tile& tile : tiles) bytes += tile.level == level ? tile.bytes() : 0;
  return bytes;
}

std::int64_t Kernel::start(Axis axis, std::int64_t n) const {
  if (axis == Axis::q) return n * tiling.block_q;
  if (axis == Axis::kv) return n * tiling.block_kv;
  return 0;
}

std::int64_t Kernel::extent(Axis axis, std::int64_t n, const Problem& p) const {
  switch (axis) {
    case Axis::one: return 1;
    case Axis::d: return p.d;
    case Axis::q: return std::max<std::int64_t>(0, std::min(tiling.block_q, p.n_q - n * tiling.block_q));
    case Axis::kv: return std::max<std::int64_t>(0, std::min(tiling.block_kv, p.n_kv - n * tiling.block_kv));
  }
  return 0;
}

Rect Kernel::rect(std::int64_t i, std::int64_t j, const Problem& p) const {
  return {start(Axis::q, i), start(Axis::kv, j), extent(Axis::q, i, p), extent(Axis::kv, j, p)};
}

std::int64_t Plan::stands_for(const Kernel& kernel, std::int64_t block) const {
  const bool alike = problem().mask.is_none() && !config.fault;
  if (!alike || block == kernel.blocks - 1) return 1;
  return block == 0 ? kernel.blocks - 1 : 0;
}

std::uint64_t Plan::footprint(int level) const {
  std::uint64_t most = 0;
  for (const Kernel& kernel : kernels) most = std::max(most, kernel.footprint(level));
  return most;
}

std::string Plan::misfit() const {
  for (const Kernel& kernel : kernels) {
    for (std::size_t level = 0; level < config.arch.levels.size(); ++level) {
      const Level& place = config.arch.levels[level];
      const std::uint64_t asked = kernel.footprint(static_cast<int>(level));
      if (place.scope == Scope::device || place.capacity == 0 || asked <= place.capacity) continue;
      return "kernel " + std::string(kernel.row->name) + " needs " + std::to_string(asked) + " B of " +
             place.name + " (" + tile_list(kernel, static_cast<int>(level)) + "), " + config.arch.name +
             " has " + std::to_string(place.capacity) + " B";
    }
  }
  return "";
}

Plan draft_plan(RunConfig config) {
  validate(config.problem);
  validate(config.arch);
  check_block("--block-q", config.tiling.block_q);
  check_block("--block-kv", config.tiling.block_kv);
  config.arch = config.arch.in_bytes(config.problem.dtype);
  Plan plan;
  plan.config = std::move(config);
  const auto& [algorithm, problem, tiling, arch, fault] = plan.config;
  plan.tensors = TensorTable(*algorithm, problem, arch);
  for (const Launch& launch : algorithm->launches(problem, tiling, arch)) {
    plan.kernels.push_back(make_kernel(launch, plan.tensors, problem, arch));
  }
  const int levels = static_cast<int>(arch.levels.size());
  for (int a = 0; a < levels; ++a) {
    for (int b = 0; b < levels; ++b) {
      plan.via[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] = arch.between(a, b);
    }
  }
  return plan;
}

std::shared_ptr<const Plan> make_plan(RunConfig config) {
  auto plan = std::make_shared<Plan>(draft_plan(std::move(config)));
  const std::string misfit = plan->misfit();
  if (!misfit.empty()) {
    throw RequestError("--block-q " + std::to_string(plan->config.tiling.block_q) + " --block-kv " +
                       std::to_string(plan->config.tiling.block_kv) + ": " + misfit +
                       what_fits(plan->config));
  }
  if (plan->config.fault) check_applies(*plan->config.fault, *plan);
  return plan;
}

}  // namespace tilewalk
