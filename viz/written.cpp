#include "viz/written.h"

#include "sim/blocks.h"

namespace tilewalk::viz {
namespace {

std::int64_t block_size(const Plan& plan, Axis axis, std::int64_t all) {
  const Tiling& tiling = plan.config.tiling;
  return axis == Axis::q ? tiling.block_q : axis == Axis::kv ? tiling.block_kv : all;
}

// The tensor whose counted bytes tell how far this one is: its own, or those of O where it is not counted.
std::size_t counted_for(const Plan& plan, std::size_t tensor) {
  return plan.tensors[tensor].counted ? tensor : static_cast<std::size_t>(plan.tensors.find("O"));
}

}  // namespace

BlockGrid blocks_of_tensor(const Plan& plan, const Tensor& tensor) {
  const auto blocks = [&](Axis axis, std::int64_t all) {
    return std::max<std::int64_t>(
        1, tilewalk::blocks_of(all, std::max<std::int64_t>(1, block_size(plan, axis, all))));
  };
  return {blocks(tensor.rows, tensor.n_rows), blocks(tensor.cols, tensor.n_cols)};
}

Written::Written(const RunFrame& run, std::size_t tensor)
    : run_(run),
      index_(tensor),
      tensor_(run.plan().tensors[tensor]),
      is_input_(tensor_.name == "Q" || tensor_.name == "K" || tensor_.name == "V"),
      by_value_(run.has_values()),
      instance_(tensor_.rows == Axis::kv ? run.plan().problem().kv_instance(run.moment.instance)
                                         : run.moment.instance),
      stored_(is_input_ || by_value_ ? 0 : elements_stored()) {}

// Of the instance at work: what the kernels before it stored of it, or what this one did.
std::int64_t Written::elements_stored() const {
  const Plan& plan = run_.plan();
  const std::size_t counted = counted_for(plan, index_), launch = run_.moment.location.launch;
  const auto level = static_cast<std::size_t>(plan.config.arch.level("hbm"));
  const Tensor& measured = plan.tensors[counted];
  const auto bytes = [&](const Counts& counts) { return counts.bytes[level][1][counted]; };
  for (std::size_t k = 0; k < launch; ++k) {
    if (bytes(run_.facts.totals.kernels[k]) > 0) return tensor_.n_rows * tensor_.n_cols;
  }
  const std::uint64_t instances = static_cast<std::uint64_t>(plan.problem().instances());
  const std::uint64_t earlier =
      bytes(run_.facts.totals.kernels[launch]) / instances * static_cast<std::uint64_t>(run_.moment.instance);
  const std::uint64_t now = bytes(run_.moment.state.counts[launch]);
  const std::uint64_t rows = (now > earlier ? now - earlier : 0) / size_of(measured.type) /
                             static_cast<std::uint64_t>(std::max<std::int64_t>(1, measured.n_cols));
  if (counted != index_) return static_cast<std::int64_t>(rows) * tensor_.n_cols;
  return static_cast<std::int64_t>((now > earlier ? now - earlier : 0) / size_of(measured.type));
}

bool Written::block(std::int64_t row, std::int64_t col) const {
  if (is_input_) return true;
  const Plan& plan = run_.plan();
  const std::int64_t rows = block_size(plan, tensor_.rows, tensor_.n_rows),
                     cols = block_size(plan, tensor_.cols, tensor_.n_cols);
  const std::int64_t last_row = std::min((row + 1) * rows, tensor_.n_rows) - 1,
                     last_col = std::min((col + 1) * cols, tensor_.n_cols) - 1;
  if (last_row < 0 || last_col < 0) return false;  // a tensor without elements
  if (by_value_) return run_.moment.state.hbm[index_].writes(instance_, last_row, last_col) > 0;
  return counted(last_row, last_col, row * rows, col * cols);
}

// Rows of blocks are stored one after another; in the one that is begun, blocks from the end that the loop
// over keys begins with, or all at once.
bool Written::counted(std::int64_t last_row, std::int64_t last_col, std::int64_t row,
                      std::int64_t col) const {
  if (stored_ >= (last_row + 1) * tensor_.n_cols) return true;
  const Tiling& tiling = run_.plan().kernels[run_.moment.location.launch].tiling;
  if (tensor_.cols != Axis::kv || tiling.block_kv >= tensor_.n_cols) return false;
  const std::int64_t inside = stored_ - row * tensor_.n_cols, height = last_row - row + 1;
  if (inside <= 0 || height <= 0) return false;
  const std::int64_t columns = inside / height;
  return tiling.order == Order::ascending ? columns > last_col : tensor_.n_cols - columns <= col;
}

}  // namespace tilewalk::viz
