#include "sim/timeline.h"

#include <algorithm>

namespace tilewalk {
namespace {

struct Enough {};  // thrown through a schedule to leave it in the middle

// Snapshots lie about as far apart as this: a few milliseconds of arithmetic, or of counting.
constexpr std::uint64_t work_of_a_snapshot = 10'000'000, events_of_a_snapshot = 32'768, most_snapshots = 768;
constexpr std::uint64_t window_size = 4096;

}  // namespace

bool begins_step(StepSize size, const Event& before, const Event& after, const Plan& plan) {
  if (size == StepSize::operation || before.launch != after.launch) return true;
  if (size == StepSize::kernel) return false;
  if (before.cta != after.cta) return true;
  if (size == StepSize::tile) return before.row != after.row || before.col != after.col;
  return plan.kernels[after.launch].row->outer == Axis::q ? before.row != after.row : before.col != after.col;
}

Timeline::Timeline(std::shared_ptr<const Plan> plan, const Inputs* inputs, const Progress& progress)
    : plan_(std::move(plan)), machine_(plan_, inputs) {
  const auto instances = static_cast<std::uint64_t>(plan_->problem().instances());
  for (std::size_t k = 0; k < plan_->kernels.size(); ++k) {
    std::uint64_t events = 0;  // of the last block walked
    auto take = [&](const Event&) { ++events; };
    std::vector<std::uint64_t> starts{0};
    const Kernel& kernel = plan_->kernels[k];
    for (std::int64_t block = 0; block < kernel.blocks; ++block) {
      if (progress)
        progress((double(k) + double(block) / double(kernel.blocks)) / double(plan_->kernels.size()));
      if (plan_->stands_for(kernel, block) > 0) {
        events = 0;
        run_cta(*plan_, k, block, Sink(take));
      }
      starts.push_back(starts.back() + events);
    }
    size_ += starts.back() * instances;
    starts_.push_back(std::move(starts));
  }
  work_between_snapshots_ =
      has_values() ? work_of_a_snapshot : std::max(events_of_a_snapshot, size_ / most_snapshots);
  snapshots_.emplace(0, machine_.state());
}

std::uint64_t Timeline::memory_needed(const Plan& plan) {
  std::uint64_t tiles = 0, versions = 0;
  for (const Kernel& kernel : plan.kernels) {
    std::uint64_t of_one = 0;
    for (const Tile& tile : kernel.tiles) of_one += tile.bytes() / size_of(tile.type) * sizeof(float);
    tiles = std::max(tiles, of_one);
    if (kernel.row->outer == Axis::kv)
      versions = std::max(versions, static_cast<std::uint64_t>(kernel.kv_blocks));
  }
  const Tensor& o = plan.tensors[static_cast<std::size_t>(plan.tensors.find("O"))];
  const std::uint64_t of_o = o.bytes(plan.problem()) / size_of(o.type) * sizeof(float);
  return most_snapshots * tiles + std::min(most_snapshots, versions) * of_o;
}

std::uint64_t Timeline::kernel_start(std::size_t launch) const {
  std::uint64_t start = 0;
  for (std::size_t k = 0; k < launch; ++k) {
    start += starts_[k].back() * static_cast<std::uint64_t>(plan_->problem().instances());
  }
  return start;
}

Location Timeline::locate(std::uint64_t n) const {
  std::size_t launch = 0;
  while (n >= kernel_start(launch + 1)) ++launch;
  n -= kernel_start(launch);
  const auto& starts = starts_[launch];
  const std::uint64_t instance = n / starts.back(), in_instance = n % starts.back();
  const auto next = std::upper_bound(starts.begin(), starts.end(), in_instance);
  const auto block = static_cast<std::uint64_t>(next - starts.begin() - 1);
  const auto blocks = static_cast<std::uint64_t>(plan_->kernels[launch].blocks);
  return {launch, static_cast<std::int64_t>(instance * blocks + block), in_instance - starts[block]};
}

void Timeline::walk(std::uint64_t from, std::uint64_t to, Sink take) const {
  if (from >= to) return;
  auto [launch, cta, index] = locate(from);
  std::uint64_t skip = index, left = to - from;
  auto pass = [&](const Event& e) {
    if (skip > 0) {
      --skip;
      return;
    }
    if (left == 0) throw Enough();
    --left;
    take(e);
  };
  for (; launch < plan_->kernels.size(); ++launch, cta = 0) {
    for (; cta < plan_->kernels[launch].ctas; ++cta) {
      try {
        run_cta(*plan_, launch, cta, Sink(pass));
      } catch (Enough) {
        return;
      }
      if (left == 0) return;
    }
  }
}

std::uint64_t Timeline::work_of(const Event& e) const {
  if (!has_values()) return 1;
  const Flops flops = cost_of(e, *plan_).flops;
  const auto elements = static_cast<std::uint64_t>(e.rows) * static_cast<std::uint64_t>(e.cols);
  return flops.matmul + 24 * flops.exp + 2 * flops.other + 4 * elements + 2000;
}

void Timeline::take(const Event& e) {
  machine_.execute(e);
  ++position_;
  work_ += work_of(e);
  if (work_ < work_between_snapshots_) return;
  work_ = 0;
  if (position_ <= snapshots_.rbegin()->first) return;
  snapshots_.emplace(position_, machine_.state());
  if (snapshots_.size() > most_snapshots) thin_out();
}

// Memory stays bounded on runs of any length: twice as far apart, every other snapshot goes.
void Timeline::thin_out() {
  work_between_snapshots_ *= 2;
  for (auto at = std::next(snapshots_.begin()); at != snapshots_.end();) {
    at = snapshots_.erase(at);
    if (at != snapshots_.end()) ++at;
  }
}

void Timeline::advance(std::uint64_t to, const Progress& progress) {
  // Short ways go over cached events: in a CTA of millions, finding its n-th event takes generating all
  // before it.
  const std::uint64_t silent = has_values() ? 32 : 512;  // events; those with values are long
  const auto tell = [&] {
    if (progress && position_ % silent == 0) progress(double(position_) / double(size_));
  };
  if (to - position_ <= window_size) {
    while (position_ < to) {
      take(event(position_));
      tell();
    }
    return;
  }
  each(position_, to, [&](const Event& e) {
    take(e);
    tell();
  });
}

void Timeline::seek(std::uint64_t target, const Progress& progress) {
  target = std::min(target, size_);
  const auto near = std::prev(snapshots_.upper_bound(target));
  if (target < position_ || near->first > position_) {
    machine_.restore(near->second);
    position_ = near->first;
    work_ = 0;
  }
  advance(target, progress);
}

void Timeline::prepare(const Progress& progress) {
  const std::uint64_t here = position_, known = snapshots_.rbegin()->first;
  if (position_ < known) seek(known);
  advance(size_, progress);
  machine_.finish();
  seek(here);
}

Event Timeline::event(std::uint64_t n) {
  if (n < window_begin_ || n >= window_begin_ + window_.size()) {
    window_begin_ = n - n % window_size;
    window_.clear();
    each(window_begin_, std::min(window_begin_ + window_size, size_),
         [&](const Event& e) { window_.push_back(e); });
  }
  return window_[n - window_begin_];
}

std::uint64_t Timeline::after_step(std::uint64_t p, StepSize size) {
  if (p >= size_) return size_;
  if (size == StepSize::kernel) return kernel_start(locate(p).launch + 1);
  do {
    ++p;
  } while (p < size_ && !begins_step(size, event(p - 1), event(p), *plan_));
  return p;
}

std::uint64_t Timeline::before_step(std::uint64_t p, StepSize size) {
  if (p == 0) return 0;
  --p;
  if (size == StepSize::kernel) return kernel_start(locate(p).launch);
  while (p > 0 && !begins_step(size, event(p - 1), event(p), *plan_)) --p;
  return p;
}

}  // namespace tilewalk
