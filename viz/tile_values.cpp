#include "viz/tile_values.h"

namespace tilewalk::viz {

const Kernel& kernel_of(const RunFrame& run) { return run.plan().kernels[run.moment.location.launch]; }

int find_tile(const RunFrame& run, std::string_view name) { return kernel_of(run).find(name); }

int find_scores(const RunFrame& run) {
  const int s = find_tile(run, "s");
  return s >= 0 ? s : find_tile(run, "p");
}

bool holds(const MachineState& state, int tile) {
  if (tile < 0 || std::size_t(tile) >= state.tiles.size()) return false;
  const TileState& t = state.tiles[std::size_t(tile)];
  return t.allocated && t.written && t.values;
}

std::optional<float> value_in(const MachineState& state, int tile, std::int64_t row, std::int64_t col) {
  if (!holds(state, tile)) return std::nullopt;
  const TileState& t = state.tiles[std::size_t(tile)];
  if (row < 0 || col < 0 || row >= t.rows || col >= t.cols) return std::nullopt;
  return t.values->values(row, col);
}

std::vector<float> row_in(const MachineState& state, int tile, std::int64_t row) {
  if (!value_in(state, tile, row)) return {};
  const TileState& t = state.tiles[std::size_t(tile)];
  const float* first = t.values->values.row(row).data();
  return {first, first + t.cols};
}

std::int64_t chosen_row(const Frame& frame, const RunFrame& run) {
  const std::int64_t last = std::max<std::int64_t>(0, run.plan().problem().n_q - 1);
  if (frame.selection.row >= 0) return std::min(frame.selection.row, last);
  return std::min(current_rect(run).row, last);
}

Rect current_rect(const RunFrame& run) {
  const auto& current = run.moment.current();
  const std::int64_t row = current && current->row >= 0 ? current->row
                           : run.moment.tile            ? run.moment.tile->row
                                                        : 0;
  const std::int64_t col = current && current->col >= 0 ? current->col
                           : run.moment.tile            ? run.moment.tile->col
                                                        : 0;
  return kernel_of(run).rect(row, col, run.plan().problem());
}

namespace {

// Of a tile before this one: what its last step made of it.
ScoreStage left_over_stage(const RunFrame& run) {
  if (!run.plan().algorithm().softmax) return ScoreStage::masked;
  const bool weights = find_tile(run, "m") >= 0 || kernel_of(run).row->name == "softmax";
  return weights ? ScoreStage::weights : ScoreStage::raw;
}

}  // namespace

ScoreStage score_stage(const RunFrame& run) {
  const int tile = find_scores(run);
  if (tile < 0 || std::size_t(tile) >= run.moment.state.tiles.size() ||
      !run.moment.state.tiles[std::size_t(tile)].written)
    return ScoreStage::none;
  if (kernel_of(run).tiles[std::size_t(tile)].name == "p") return ScoreStage::weights;
  const Event* e = last_write(run.moment, static_cast<TileHandle>(tile));
  if (!e) return left_over_stage(run);
  if (e->op == Op::mask) return ScoreStage::masked;
  const bool weights = e->op == Op::softmax || e->op == Op::online_softmax || e->op == Op::block_softmax;
  return weights ? ScoreStage::weights : ScoreStage::raw;
}

const Event* find_event(const Moment& moment, Op op, int tile) {
  for (auto e = moment.story.rbegin(); e != moment.story.rend(); ++e) {
    if (e->op == op && (tile < 0 || e->operand[0] == tile)) return &*e;
  }
  return nullptr;
}

HeatGrid grid_of_tile(const RunFrame& run, int n) {
  const Tile& tile = kernel_of(run).tiles[std::size_t(n)];
  HeatGrid grid{tile.most_rows, tile.most_cols, {}};
  if (!holds(run.moment.state, n)) {
    grid.at = [](std::int64_t, std::int64_t) { return CellValue{0, CellKind::unwritten}; };
    return grid;
  }
  const TileState& state = run.moment.state.tiles[std::size_t(n)];
  const bool is_scores = tile.rows == Axis::q && tile.cols == Axis::kv,
             hides = score_stage(run) >= ScoreStage::masked;
  const Problem& p = run.plan().problem();
  const bool masked = is_scores && hides && !p.mask.is_none();
  const std::int64_t row = kernel_of(run).start(Axis::q, std::max(0, state.row)),
                     col = kernel_of(run).start(Axis::kv, std::max(0, state.col));
  grid.at = [&state, &p, masked, row, col](std::int64_t r, std::int64_t c) {
    if (r >= state.rows || c >= state.cols) return CellValue{0, CellKind::unwritten};
    if (masked && !p.visible(row + r, col + c)) return CellValue{0, CellKind::masked};
    return CellValue{state.values->values(r, c)};
  };
  return grid;
}

}  // namespace tilewalk::viz
