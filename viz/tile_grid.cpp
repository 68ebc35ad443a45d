#include "viz/tile_grid.h"

namespace tilewalk::viz {
namespace {

constexpr std::int64_t most_cells = 128;  // a side

}  // namespace

std::int64_t group_of(const Visits& visits) {
  return (std::max(visits.rows(), visits.cols()) + most_cells - 1) / most_cells;
}

TileGrid grid_of(const RunFrame& run, const Box& area) {
  const Visits& visits = run.facts.visits[run.moment.location.launch];
  TileGrid grid{&run, &visits, -1, run.moment.in_tile, 1, 0, 0, 0, {}};
  if (run.moment.tile) grid.turn = visits.turn(*run.moment.tile);
  grid.group = group_of(visits);
  grid.rows = (visits.rows() + grid.group - 1) / grid.group;
  grid.cols = (visits.cols() + grid.group - 1) / grid.group;
  const float fit = std::min(area.width() / float(grid.cols), area.height() / float(grid.rows));
  grid.cell = fit >= 3 ? std::floor(fit) : fit;
  grid.origin = {std::floor(area.min.x + (area.width() - grid.cell * float(grid.cols)) / 2),
                 std::floor(area.min.y + (area.height() - grid.cell * float(grid.rows)) / 2)};
  return grid;
}

Cell state_of(const TileGrid& grid, TileId tile) {
  const std::int64_t turn = grid.visits->turn(tile);
  if (turn == Visits::never) return Cell::masked;
  if (turn == grid.turn) return grid.in_tile ? Cell::current : Cell::done;
  return turn < grid.turn ? Cell::done : Cell::to_come;
}

Cell state_of_cell(const TileGrid& grid, std::int64_t row, std::int64_t col) {
  const auto& now = grid.run->moment.tile;
  if (grid.in_tile && now && now->row / grid.group == row && now->col / grid.group == col)
    return Cell::current;
  const auto middle = [&](std::int64_t n, std::int64_t size) {
    return std::min(n * grid.group + grid.group / 2, size - 1);
  };
  return state_of(grid, {middle(row, grid.visits->rows()), middle(col, grid.visits->cols())});
}

void draw_cell(const Theme& theme, const Box& box, Cell state) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float rounding = box.width() >= 12 ? 2.0f : 0.0f;
  switch (state) {
    case Cell::done: list->AddRectFilled(box.min, box.max, theme.done, rounding); return;
    case Cell::to_come: list->AddRectFilled(box.min, box.max, theme.to_come, rounding); return;
    case Cell::current: list->AddRectFilled(box.min, box.max, theme.current, rounding); return;
    case Cell::masked:
      list->AddRectFilled(box.min, box.max, theme.masked, rounding);
      if (box.width() >= 4) {
        list->AddLine({box.min.x, box.max.y}, {box.max.x, box.min.y},
                      mixed(theme.masked, theme.muted, 0.55f));
      }
      return;
  }
}

}  // namespace tilewalk::viz
