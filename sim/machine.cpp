#include "sim/machine.h"

#include <cstring>

#include "sim/error.h"

namespace tilewalk {
namespace {

struct Extents {
  std::int32_t rows, cols;
};

// Extents of operand n of the event, as the tile is stored.
Extents stored_extents(const Event& e, const Use& use, int n) {
  switch (use.extent) {
    case Extent::rows_cols: return {e.rows, e.cols};
    case Extent::rows_one: return {e.rows, 1};
    case Extent::rows_depth:
      return e.flags & flag::transpose_a ? Extents{e.depth, e.rows} : Extents{e.rows, e.depth};
    case Extent::depth_cols:
      return e.flags & flag::transpose_b ? Extents{e.cols, e.depth} : Extents{e.depth, e.cols};
  }
  return {n, 0};
}

bool same_tile(const TileState& a, const TileState& b) {
  if (a.allocated != b.allocated || a.written != b.written || a.rows != b.rows || a.cols != b.cols)
    return false;
  if (!a.allocated || !a.written || !a.values || !b.values) return true;
  for (std::int32_t r = 0; r < a.rows; ++r) {
    const float* left = a.values->values.row(r).data();
    const float* right = b.values->values.row(r).data();
    if (std::memcmp(left, right, sizeof(float) * static_cast<std::size_t>(a.cols)) != 0) return false;
  }
  return true;
}

constexpr std::uint64_t bit(TileHandle tile) { return std::uint64_t{1} << tile; }

HbmTensor make_tensor(const Tensor& tensor, const Plan& plan) {
  const Problem& p = plan.problem();
  const Kernel& kernel = plan.kernels.back();  // S and P are stored in the run's own tiling
  const auto block = [&](Axis axis, std::int64_t all) {
    return axis == Axis::q ? kernel.tiling.block_q : axis == Axis::kv ? kernel.tiling.block_kv : all;
  };
  const std::int64_t instances = tensor.rows == Axis::kv ? p.batch * p.kv_heads : p.instances();
  return {instances, tensor.n_rows, tensor.n_cols, block(tensor.rows, tensor.n_rows),
          block(tensor.cols, tensor.n_cols)};
}

}  // namespace

Counts MachineState::total() const {
  Counts sum;
  for (const Counts& kernel : counts) sum += kernel;
  return sum;
}

bool MachineState::same_as(const MachineState& other) const {
  if (counts != other.counts || used != other.used || launch != other.launch || cta != other.cta)
    return false;
  if (tiles.size() != other.tiles.size() || hbm.size() != other.hbm.size()) return false;
  for (std::size_t n = 0; n < tiles.size(); ++n) {
    if (!same_tile(tiles[n], other.tiles[n])) return false;
  }
  for (std::size_t n = 0; n < hbm.size(); ++n) {
    if (!hbm[n].same_as(other.hbm[n])) return false;
  }
  return true;
}

Machine::Machine(std::shared_ptr<const Plan> plan, const Inputs* inputs) : plan_(std::move(plan)) {
  state_.counts.resize(plan_->kernels.size());
  has_values_ = inputs != nullptr;
  if (!inputs) return;
  const int hbm = plan_->config.arch.level("hbm");
  for (const Tensor& tensor : plan_->tensors) {
    state_.hbm.push_back(tensor.level == hbm ? make_tensor(tensor, *plan_) : HbmTensor());
  }
  const auto set = [&](std::string_view name, const std::vector<float>& values) {
    state_.hbm[static_cast<std::size_t>(plan_->tensors.find(name))].set(values);
  };
  set("Q", inputs->q);
  set("K", inputs->k);
  set("V", inputs->v);
}

void Machine::fail(const Event& e, const std::string& why) const {
  throw ScheduleError(std::string(plan_->algorithm().name) + ", kernel " +
                      std::string(plan_->kernels[e.launch].row->name) + ", CTA " + std::to_string(e.cta) +
                      ", " + name_of(e.op) + " at line " + std::to_string(e.line) + ": " + why);
}

// A new CTA finds no tile of the one before it.
void Machine::enter(const Event& e) {
  finish();
  state_.launch = e.launch;
  state_.cta = e.cta;
  state_.tiles.assign(plan_->kernels[e.launch].tiles.size(), TileState());
  state_.allocated = state_.written = 0;
}

void Machine::finish() const {
  for (std::size_t n = 0; n < state_.tiles.size(); ++n) {
    if (!state_.tiles[n].allocated) continue;
    const Kernel& kernel = plan_->kernels[static_cast<std::size_t>(state_.launch)];
    throw ScheduleError("kernel " + std::string(kernel.row->name) + ", CTA " + std::to_string(state_.cta) +
                        ": ends without freeing tile " + std::string(kernel.tiles[n].name));
  }
}

void Machine::alloc(const Event& e) {
  TileState& tile = state_.tiles[e.operand[0]];
  const Tile& row = plan_->kernels[e.launch].tiles[e.operand[0]];
  if (tile.allocated) fail(e, "tile " + std::string(row.name) + " is allocated already");
  tile = {true, false, 0, 0, -1, -1, std::move(tile.values)};
  state_.allocated |= bit(e.operand[0]);
  const auto level = static_cast<std::size_t>(row.level);
  std::uint64_t& used = state_.used[level];
  used += row.bytes();
  const std::uint64_t capacity = plan_->config.arch.levels[level].capacity;
  if (capacity != 0 && used > capacity) {
    throw RequestError("tile " + std::string(row.name) + " of " + std::to_string(row.bytes()) + " B: makes " +
                       std::to_string(used) + " B of " + plan_->config.arch.levels[level].name + ", " +
                       plan_->config.arch.name + " has " + std::to_string(capacity) +
                       " B; choose smaller blocks");
  }
  std::uint64_t& peak = state_.counts[e.launch].peak[level];
  peak = std::max(peak, used);
}

void Machine::free(const Event& e) {
  TileState& tile = state_.tiles[e.operand[0]];
  const Tile& row = plan_->kernels[e.launch].tiles[e.operand[0]];
  if (!tile.allocated) fail(e, "tile " + std::string(row.name) + " is not allocated");
  tile.allocated = tile.written = false;
  state_.allocated &= ~bit(e.operand[0]);
  state_.written &= ~bit(e.operand[0]);
  state_.used[static_cast<std::size_t>(row.level)] -= row.bytes();
}

void Machine::check_operands(const Event& e, const Uses& uses) const {
  const auto& tiles = plan_->kernels[e.launch].tiles;
  for (int n = 0; n < uses.count; ++n) {
    if (e.operand[n] == no_tile) continue;
    const TileState& tile = state_.tiles[e.operand[n]];
    const auto refuse = [&](const char* why) {
      fail(e, "tile " + std::string(tiles[e.operand[n]].name) + " " + why);
    };
    if (!tile.allocated) refuse("is not allocated");
    const Use use = use_of(e, uses, n);
    const Extents needed = stored_extents(e, use, n);
    const Tile& size = tiles[e.operand[n]];
    if (needed.rows > size.most_rows || needed.cols > size.most_cols) {
      refuse(use.reads ? "is read beyond what was written to it" : "is written beyond its size");
    }
    if (!use.reads) continue;
    if (!tile.written) refuse("is read before anything was written to it");
    if (needed.rows > tile.rows || needed.cols > tile.cols) refuse("is read beyond what was written to it");
  }
}

// Works out what a new kind of event costs and touches, after checking it in full.
void Machine::learn(const Event& e, Repeat& repeat) {
  settle(repeat);
  const Uses uses = uses_of(e.op);
  check_operands(e, uses);
  repeat.event = e;
  repeat.cost = cost_of(e, *plan_);
  repeat.touched = repeat.read = repeat.written = 0;
  repeat.read_count = repeat.afresh_count = 0;
  for (int n = 0; n < uses.count; ++n) {
    if (e.operand[n] == no_tile) continue;
    const Use use = use_of(e, uses, n);
    const Extents extents = stored_extents(e, use, n);
    const Repeat::Part part{e.operand[n], extents.rows, extents.cols};
    repeat.touched |= bit(part.tile);
    if (use.reads) {
      repeat.read |= bit(part.tile);
      repeat.reads[repeat.read_count++] = part;
    }
    if (use.writes) {
      repeat.written |= bit(part.tile);
      if (!use.reads) repeat.afresh[repeat.afresh_count++] = part;  // a change leaves the valid part as it is
    }
  }
}

void Machine::settle(Repeat& repeat) {
  if (repeat.times == 0) return;
  state_.counts[repeat.event.launch].add(repeat.cost, repeat.times);
  repeat.times = 0;
}

const MachineState& Machine::state() {
  for (Repeat& repeat : repeats_) settle(repeat);
  return state_;
}

void Machine::restore(const MachineState& state) {
  repeats_.clear();
  state_ = state;
}

// Names the tensor of a load that finds nothing in HBM.
void Machine::compute_checked(const Event& e) {
  try {
    compute(e, *plan_, state_, {scratch_, product_});
  } catch (const ScheduleError& error) {
    fail(e, std::string(plan_->tensors[e.tensor].name) + " " + error.what());
  }
}

void Machine::execute_in_full(const Event& e) {
  if (e.cta != state_.cta || e.launch != state_.launch) enter(e);
  if (e.line >= repeats_.size()) repeats_.resize(e.line + std::size_t{1});
  Repeat& repeat = repeats_[e.line];
  if (e.op == Op::alloc || e.op == Op::free) {
    ++state_.counts[e.launch].events;
    return e.op == Op::alloc ? alloc(e) : free(e);
  }
  if (!repeat.covers(e, state_)) learn(e, repeat);
  ++repeat.times;
  if (has_values_) compute_checked(e);
  mark_written(e, repeat);
}

}  // namespace tilewalk
