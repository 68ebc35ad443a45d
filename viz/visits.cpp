#include "viz/visits.h"

#include <algorithm>

namespace tilewalk::viz {
namespace {

constexpr std::int64_t most_kept = std::int64_t{1} << 21;

struct Reached {};  // thrown through a walk to leave it

// The first position whose event belongs to this CTA of the kernel, or a later one.
std::uint64_t start_of_cta(const Timeline& timeline, std::size_t launch, std::int64_t cta) {
  std::uint64_t low = timeline.kernel_start(launch), high = timeline.kernel_start(launch + 1);
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (timeline.locate(middle).cta < cta) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

Visits::Visits(const Plan& plan, std::size_t launch)
    : plan_(&plan),
      launch_(launch),
      rows_(plan.kernels[launch].q_blocks),
      cols_(plan.kernels[launch].kv_blocks) {
  if (rows_ * cols_ <= most_kept) {
    walk();
  } else {
    count_ = rows_ * cols_;
  }
}

void Visits::walk() {
  turns_.assign(static_cast<std::size_t>(rows_ * cols_), never);
  auto take = [&](const Event& e) {
    if (e.row < 0 || e.col < 0) return;
    std::int32_t& turn = turns_[static_cast<std::size_t>(e.row * cols_ + e.col)];
    if (turn == never) turn = static_cast<std::int32_t>(count_++);
  };
  for (std::int64_t cta = 0; cta < plan_->kernels[launch_].blocks; ++cta)
    run_cta(*plan_, launch_, cta, Sink(take));
}

std::int64_t Visits::turn(TileId tile) const {
  if (tile.row < 0 || tile.col < 0 || tile.row >= rows_ || tile.col >= cols_) return never;
  return turns_.empty() ? turn_by_rule(tile) : turns_[static_cast<std::size_t>(tile.row * cols_ + tile.col)];
}

std::int64_t Visits::turn_by_rule(TileId tile) const {
  const Kernel& kernel = plan_->kernels[launch_];
  const Problem& p = plan_->problem();
  if (!p.mask.is_none() && p.mask.skips(kernel.rect(tile.row, tile.col, p), p.shift())) return never;
  const std::int64_t col = kernel.tiling.order == Order::descending ? cols_ - 1 - tile.col : tile.col;
  return kernel.row->outer == Axis::q ? tile.row * cols_ + col : col * rows_ + tile.row;
}

std::uint64_t position_of_tile(const Timeline& timeline, std::size_t launch, std::int64_t instance,
                               TileId tile) {
  const Kernel& kernel = timeline.plan().kernels[launch];
  const std::int64_t block = kernel.row->grid == Grid::per_q_block ? tile.row : 0;
  const std::int64_t cta = instance * kernel.blocks + std::clamp<std::int64_t>(block, 0, kernel.blocks - 1);
  const std::uint64_t begin = start_of_cta(timeline, launch, cta),
                      end = start_of_cta(timeline, launch, cta + 1);
  std::uint64_t position = begin;
  try {
    timeline.each(begin, end, [&](const Event& e) {
      ++position;
      if (e.row == tile.row && e.col == tile.col) throw Reached();
    });
  } catch (Reached) {
    return position;  // just after its first event, so that the picture shows the tile
  }
  return begin;
}

}  // namespace tilewalk::viz
