// m, l and O of all rows of queries: what HBM holds of them, and, outlined, what the chip holds of the rows
// at work.
#include <cmath>

#include "viz/heat_map.h"
#include "viz/numbers.h"
#include "viz/row_path.h"
#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/tile_values.h"
#include "viz/tiles_parts.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

// One quantity of all rows: its tensor in HBM, its tile on the chip, or both.
struct Column {
  std::string name;
  int tensor = -1, tile = -1;
  std::int64_t cols = 1;
};

std::vector<Column> columns_of(const RunFrame& run) {
  const Plan& plan = run.plan();
  const int hbm = plan.config.arch.level("hbm");
  std::vector<Column> columns;
  const auto add = [&](const char* name, const char* tensor, const char* tile) {
    Column column{name, plan.tensors.find(tensor), find_tile(run, tile), 1};
    if (column.tensor < 0) return;
    column.cols = plan.tensors[std::size_t(column.tensor)].n_cols;
    if (plan.tensors[std::size_t(column.tensor)].level != hbm) column.tensor = -1;
    if (column.tensor >= 0 || column.tile >= 0) columns.push_back(column);
  };
  add("m", "m", "m");
  add("l", "l", "l");
  add("L", "L", "lse");
  add("O", "O", "o");
  return columns;
}

HeatGrid grid_of(const RunFrame& run, const Column& column) {
  const Rect now = current_rect(run);
  const bool on_chip = holds(run.moment.state, column.tile);
  const TileState* tile = on_chip ? &run.moment.state.tiles[std::size_t(column.tile)] : nullptr;
  const HbmTensor* tensor = column.tensor >= 0 ? &run.moment.state.hbm[std::size_t(column.tensor)] : nullptr;
  const std::int64_t instance = run.moment.instance;
  return {run.plan().problem().n_q, column.cols, [=](std::int64_t r, std::int64_t c) {
            const std::int64_t local = r - now.row;
            if (tile && local >= 0 && local < tile->rows && c < tile->cols)
              return CellValue{tile->values->values(local, c)};
            if (tensor && tensor->writes(instance, r, c) > 0) return CellValue{tensor->at(instance, r, c)};
            return CellValue{0, CellKind::unwritten};
          }};
}

// Where the rows at work are.
void mark_rows_at_work(const Frame& frame, const RunFrame& run, const HeatMap& map) {
  const Rect now = current_rect(run);
  if (now.rows <= 0 || map.box.empty()) return;
  const Box first = map.row(std::min(now.row, map.rows - 1)),
            last = map.row(std::min(now.row + now.rows, map.rows) - 1);
  ImGui::GetWindowDrawList()->AddRect({map.box.min.x - 1, first.min.y - 1},
                                      {map.box.max.x + 1, last.max.y + 1}, frame.theme.strong, 0, 0,
                                      std::max(1.0f, frame.px(1.5f)));
}

void take_mouse(const Frame& frame, const Column& column, const HeatMap& map, const HeatGrid& grid,
                Commands& commands) {
  const bool pressed = clicked(column.name.c_str(), map.box);
  const auto cell = ImGui::IsItemHovered() ? map.under(ImGui::GetIO().MousePos) : std::nullopt;
  if (!cell) return;
  if (pressed) commands.push_back(SelectRow{cell->first});
  const CellValue value = grid.at(cell->first, cell->second);
  std::string name =
      letter_of(column.name) + (column.cols > 1 ? fmt::format("[{},\u00A0{}]", cell->first, cell->second)
                                                : fmt::format("[{}]", cell->first));
  name += value.kind == CellKind::value ? " = " + number(value.value)
                                        : "\n" + std::string(frame.text(Str::tensor_unwritten));
  tooltip(frame, name + "\n" + frame.filled(Str::cell_select, cell->first));
}

HeatMap draw_column(const Frame& frame, const RunFrame& run, const Column& column, Box box,
                    Commands& commands) {
  const HeatGrid grid = grid_of(run, column);
  Box head = box.cut_top(std::round(frame.px(18)));
  if (column.cols == 1) head = head.inset(-frame.px(3), 0);
  draw_text(frame, head, letter_of(column.name), tensor_colour(frame.theme, column.name), frame.fonts.small,
            column.cols == 1 ? Align::centre : Align::left);
  HeatMap map{box, grid.rows, grid.cols, 1, 1};
  map.down = std::clamp<std::int64_t>(std::int64_t(box.height() / 2.5f), 1,
                                      std::min<std::int64_t>(std::max<std::int64_t>(1, grid.rows), 96));
  map.across = std::clamp<std::int64_t>(std::int64_t(box.width() / 2.5f), 1,
                                        std::min<std::int64_t>(std::max<std::int64_t>(1, grid.cols), 64));
  draw_heat_map(frame, map, grid, scale_of(grid));
  mark_rows_at_work(frame, run, map);
  mark_row(frame, map.row(chosen_row(frame, run)));
  take_mouse(frame, column, map, grid, commands);
  return map;
}

// m, l and O of the chosen row over the key blocks; O where there is room for three.
void draw_paths(const Frame& frame, Box box, const RowPath& path, std::int64_t d) {
  const float gap = std::round(frame.px(8));
  const bool three = box.height() >= frame.px(150);
  const float each = std::floor((box.height() - 2 * gap) / (three ? 3.0f : 2.0f));
  draw_path_plot(frame, box.cut_top(each), frame.text(Str::m_over_blocks), path, path.m,
                 tensor_colour(frame.theme, "m"));
  box.cut_top(gap);
  draw_path_plot(frame, box.cut_top(each), frame.text(Str::l_over_blocks), path, path.l,
                 tensor_colour(frame.theme, "l"));
  box.cut_top(gap);
  if (three) draw_path_of_o(frame, box, path, d);
}

}  // namespace

void draw_all_rows(const Frame& frame, const RunFrame& run, Box box, Commands& commands) {
  if (run.plan().problem().n_q == 0) return;
  const auto columns = columns_of(run);
  const std::int64_t row = chosen_row(frame, run);
  Box foot = box.cut_bottom(std::round(frame.px(20)));
  const std::string words = frame.filled(Str::row_number, row);
  draw_text(frame, foot.cut_right(std::ceil(text_width(words, frame.fonts.small)) + 1), words,
            frame.theme.path, frame.fonts.small, Align::right);
  foot.cut_right(frame.px(8));
  draw_text(frame, foot, frame.text(Str::rows_on_chip), frame.theme.muted, frame.fonts.small);
  box.cut_bottom(frame.px(4));
  const RowPath path = row_path(run, row, true);
  if (!path.m.empty() && box.width() >= frame.px(220)) {
    Box plots = box.cut_right(std::floor(box.width() * 0.42f));
    box.cut_right(frame.px(14));
    draw_paths(frame, plots, path, run.plan().problem().d);
  }
  const float gap = std::round(frame.px(8)), narrow = std::round(frame.px(20));
  for (const Column& column : columns) {
    draw_column(frame, run, column, column.cols == 1 ? box.cut_left(narrow) : box, commands);
    if (column.cols == 1) box.cut_left(gap);
  }
}

}  // namespace tilewalk::viz
