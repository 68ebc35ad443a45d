// The scores or weights of the tile at work, with the columns m, l, alpha beside them, and O.
#include <algorithm>
#include <cmath>

#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/tile_values.h"
#include "viz/tile_words.h"
#include "viz/tiles_parts.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

// The mouse on a tile's map: what the cell is made of, and a click looks at its row.
void take_mouse(const Frame& frame, const RunFrame& run, int tile, const HeatMap& map, Commands& commands) {
  ImGui::PushID(tile);
  const bool pressed = clicked("map", map.box);
  ImGui::PopID();
  if (!ImGui::IsItemHovered()) return;
  const auto cell = map.under(ImGui::GetIO().MousePos);
  if (!cell) return;
  const Box mark = map.value(cell->first, cell->second);
  ImGui::GetWindowDrawList()->AddRect(mark.min, mark.max, frame.theme.strong, 0, 0,
                                      std::max(1.0f, frame.px(1.5f)));
  const bool has_rows = kernel_of(run).tiles[std::size_t(tile)].rows == Axis::q;
  const std::int64_t row = current_rect(run).row + cell->first;
  if (pressed && has_rows) commands.push_back(SelectRow{row});
  std::string words = cell_words(frame, run, tile, cell->first, cell->second);
  if (map.decimated())
    words += "\n" + frame.filled(Str::cell_stands_for, map.rows / map.down, map.cols / map.across);
  if (has_rows) words += "\n" + frame.filled(Str::cell_select, row);
  tooltip(frame, words);
}

}  // namespace

void mark_row(const Frame& frame, const Box& strip) {
  const float grow = strip.height() >= 6 ? 0 : (6 - strip.height()) / 2;
  ImGui::GetWindowDrawList()->AddRect({strip.min.x - 1, strip.min.y - grow},
                                      {strip.max.x + 1, strip.max.y + grow}, frame.theme.path, 0, 0,
                                      std::max(1.0f, frame.px(1.5f)));
}

HeatMap draw_tile_map(const Frame& frame, const RunFrame& run, int tile, const Box& box, bool square,
                      HeatScale scale, Commands& commands) {
  const HeatGrid grid = grid_of_tile(run, tile);
  const HeatMap map = place_heat_map(grid.rows, grid.cols, box, square);
  draw_heat_map(frame, map, grid, scale);
  const std::int64_t local = chosen_row(frame, run) - current_rect(run).row;
  if (kernel_of(run).tiles[std::size_t(tile)].rows == Axis::q && local >= 0 && local < grid.rows)
    mark_row(frame, map.row(local));
  take_mouse(frame, run, tile, map, commands);
  return map;
}

namespace {

bool is_column(const Tile& tile) { return tile.cols == Axis::one; }

// At most so many of the tiles of one column; m, l and alpha before others.
std::vector<int> columns_shown(const RunFrame& run, std::size_t most) {
  const Kernel& kernel = kernel_of(run);
  std::vector<int> columns;
  for (const char* name : {"m", "l", "alpha"}) {
    if (const int n = kernel.find(name); n >= 0) columns.push_back(n);
  }
  for (std::size_t n = 0; n < kernel.tiles.size(); ++n) {
    const bool listed = std::find(columns.begin(), columns.end(), int(n)) != columns.end();
    if (is_column(kernel.tiles[n]) && !listed) columns.push_back(int(n));
  }
  columns.resize(std::min(columns.size(), most));
  return columns;
}

// What the columns are given beside the map: enough for numbers, where its rows are high enough for them.
float columns_room(const Frame& frame, const RunFrame& run, int tile, const Box& box) {
  const Kernel& kernel = kernel_of(run);
  const auto count = float(std::count_if(kernel.tiles.begin(), kernel.tiles.end(), is_column));
  const float row =
      box.height() / float(std::max<std::int64_t>(1, kernel.tiles[std::size_t(tile)].most_rows));
  const bool numbers = row >= line_height(frame.fonts.mono_small) + 2;
  return numbers ? std::min(box.width() * 0.5f, frame.px(54) * count)
                 : std::min(box.width() * 0.35f, frame.px(18) * count + frame.px(3));
}

// m, l, alpha and others, each on a scale of its own, at the height of the map beside which they stand.
// Returns how wide they are.
float draw_columns(const Frame& frame, const RunFrame& run, const Box& heads, Box box, const HeatMap& beside,
                   Commands& commands) {
  const Kernel& kernel = kernel_of(run);
  if (beside.box.empty()) return 0;
  const float gap = std::round(frame.px(4)), row = beside.box.height() / float(beside.down);
  const bool numbers = row >= line_height(frame.fonts.mono_small);
  const auto most = std::size_t(std::max(0.0f, (box.width() + 1) / (frame.px(9) + gap)));
  const std::vector<int> columns = columns_shown(run, most);
  const auto count = float(std::max<std::size_t>(1, columns.size()));
  const float width = std::floor(std::min(frame.px(numbers ? 50 : 14), (box.width() - gap * count) / count));
  const float left = box.min.x;
  for (const int n : columns) {
    box.cut_left(gap);
    Box place = box.cut_left(width);
    place.max.y = place.min.y + beside.box.height();
    const HeatGrid grid = grid_of_tile(run, n);
    HeatMap map{place, grid.rows, 1, beside.down, 1};
    draw_heat_map(frame, map, grid, scale_of(grid));
    const std::int64_t local = chosen_row(frame, run) - current_rect(run).row;
    if (local >= 0 && local < grid.rows) mark_row(frame, map.row(local));
    take_mouse(frame, run, n, map, commands);
    const std::string_view name = kernel.tiles[std::size_t(n)].name;
    const std::string letter = name == "lse" ? "L" : letter_of(name);
    const Box head{{place.min.x - gap / 2, heads.min.y}, {place.max.x + gap / 2, heads.max.y}};
    if (text_width(letter, frame.fonts.small) <= head.width())
      draw_text(frame, head, letter, tensor_colour(frame.theme, kernel.tiles[std::size_t(n)].name),
                frame.fonts.small, Align::centre);
  }
  return box.min.x - left;
}

std::string_view stage_words(const Frame& frame, const RunFrame& run) {
  constexpr Str words[] = {Str::tile_not_there, Str::scores_raw, Str::scores_masked, Str::scores_weights};
  return frame.text(words[std::size_t(score_stage(run))]);
}

}  // namespace

// The map of scores, the columns beside it, and O where there is room left.
void draw_scores(const Frame& frame, const RunFrame& run, int tile, Box box, HeatScale scale,
                 Commands& commands) {
  const Tile& row = kernel_of(run).tiles[std::size_t(tile)];
  const bool square =
      row.most_rows > 8 && row.most_cols <= 3 * row.most_rows && row.most_rows <= 3 * row.most_cols;
  Box heads = box.cut_top(std::round(frame.px(18)));
  const bool has_columns = find_tile(run, "m") >= 0 || find_tile(run, "m_tile") >= 0;
  Box area = box;
  if (has_columns) area.max.x -= columns_room(frame, run, tile, box);
  const HeatMap map = draw_tile_map(frame, run, tile, area, square, scale, commands);
  box.cut_left(map.box.width() + frame.px(3));
  const float used = draw_columns(frame, run, heads, box, map, commands);
  box.cut_left(used);
  draw_text(frame, {heads.min, {std::max(heads.min.x, map.box.max.x), heads.max.y}}, stage_words(frame, run),
            tensor_colour(frame.theme, row.name), frame.fonts.small);
  const int o = find_tile(run, "o");
  box.cut_left(frame.px(14));
  if (o < 0 || box.width() < frame.px(90)) return;
  box.max.y = box.min.y + map.box.height();
  draw_text(frame, {{box.min.x, heads.min.y}, {box.max.x, heads.max.y}}, "O", tensor_colour(frame.theme, "O"),
            frame.fonts.small);
  const HeatGrid grid = grid_of_tile(run, o);
  HeatMap beside = place_heat_map(grid.rows, grid.cols, box, false);
  beside.down = map.down, beside.box.max.y = box.max.y;
  draw_heat_map(frame, beside, grid, scale_of(grid));
  const std::int64_t local = chosen_row(frame, run) - current_rect(run).row;
  if (local >= 0 && local < grid.rows) mark_row(frame, beside.row(local));
  take_mouse(frame, run, o, beside, commands);
}

}  // namespace tilewalk::viz
