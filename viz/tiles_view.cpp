// The values of the tile at work: scores or weights with m, l and alpha beside them, or Q, K, V, O; or m, l
// and O of all rows.
#include "viz/tiles_parts.h"

#include <cmath>

#include "viz/heat_map.h"
#include "viz/memory_parts.h"
#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/tile_values.h"
#include "viz/tile_words.h"
#include "viz/views.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

constexpr float least_width = 240, least_height = 170;

int tile_shown(const Frame& frame, const RunFrame& run) {
  switch (frame.selection.tile) {
    case TileShown::scores: return find_scores(run);
    case TileShown::q: return find_tile(run, "q");
    case TileShown::k: return find_tile(run, "k");
    case TileShown::v: return find_tile(run, "v");
    case TileShown::o: return find_tile(run, "o");
    case TileShown::rows: break;
  }
  return -1;
}

void draw_tabs(const Frame& frame, Box row, Commands& commands) {
  constexpr TileShown all[] = {TileShown::scores, TileShown::q, TileShown::k,
                               TileShown::v,      TileShown::o, TileShown::rows};
  const std::string_view labels[] = {"S P", "Q", "K", "V", "O", frame.text(Str::tab_rows)};
  const float gap = std::round(frame.px(5)),
              last = std::min(button_width(frame, labels[5]), row.width() * 0.34f);
  const float width = std::floor((row.width() - last - 5 * gap) / 5);
  for (std::size_t n = 0; n < std::size(all); ++n) {
    const Box box = row.cut_left(n == 5 ? last : std::min(width, frame.px(48)));
    row.cut_left(gap);
    ImGui::PushID(int(n));
    if (text_button(frame, box, "tab", labels[n], frame.selection.tile == all[n]))
      commands.push_back(ShowTile{all[n]});
    ImGui::PopID();
  }
}

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

HeatScale scale_of_tile(const RunFrame& run, int tile) {
  const Tile& row = kernel_of(run).tiles[std::size_t(tile)];
  const bool weights = row.rows == Axis::q && row.cols == Axis::kv &&
                       score_stage(run) == ScoreStage::weights && run.plan().algorithm().softmax;
  return weights ? HeatScale{true, 1} : scale_of(grid_of_tile(run, tile));
}

// m, l, alpha and others, each on a scale of its own, at the height of the map beside which they stand.
// Returns how wide they are.
float draw_columns(const Frame& frame, const RunFrame& run, const Box& heads, Box box, const HeatMap& beside,
                   Commands& commands) {
  const Kernel& kernel = kernel_of(run);
  std::vector<int> columns;
  for (std::size_t n = 0; n < kernel.tiles.size(); ++n) {
    if (kernel.tiles[n].cols == Axis::one) columns.push_back(int(n));
  }
  if (columns.empty() || beside.box.empty()) return 0;
  const float gap = std::round(frame.px(4)), count = float(columns.size());
  const bool numbers = beside.box.height() / float(beside.down) >= line_height(frame.fonts.mono_small);
  const float width = std::floor(std::min(frame.px(numbers ? 50 : 22), (box.width() - gap * count) / count));
  if (width < frame.px(9)) return 0;
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
    const std::string letter = letter_of(kernel.tiles[std::size_t(n)].name);
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

// The map of scores, the columns beside it, and O where there is room left.
void draw_scores(const Frame& frame, const RunFrame& run, int tile, Box box, HeatScale scale,
                 Commands& commands) {
  const Tile& row = kernel_of(run).tiles[std::size_t(tile)];
  Box heads = box.cut_top(std::round(frame.px(18)));
  const bool has_columns = find_tile(run, "m") >= 0 || find_tile(run, "m_tile") >= 0;
  Box area = box;
  if (has_columns) area.max.x -= std::min(box.width() * 0.3f, frame.px(96));
  const HeatMap map = draw_tile_map(frame, run, tile, area, true, scale, commands);
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

void draw_foot(const Frame& frame, const RunFrame& run, Box box, HeatScale scale) {
  const std::string row = frame.filled(Str::row_number, chosen_row(frame, run));
  const float wanted = std::ceil(text_width(row, frame.fonts.small)) + 1;
  draw_text(frame, box.cut_right(wanted), row, frame.theme.path, frame.fonts.small, Align::right);
  box.cut_right(frame.px(10));
  draw_heat_legend(frame, box, scale);
}

void draw_run(const Frame& frame, const RunFrame& run, Box box, Commands& commands) {
  if (frame.runs.size() > 1)
    draw_text(frame, box.cut_top(std::round(frame.px(20))), run.plan().algorithm().name, frame.theme.strong,
              frame.fonts.small);
  if (!run.has_values())
    return void(draw_wrapped(box, frame.text(Str::values_off), frame.theme.muted, frame.fonts.body));
  if (frame.selection.tile == TileShown::rows) return draw_all_rows(frame, run, box, commands);
  const int tile = tile_shown(frame, run);
  if (tile < 0)
    return void(draw_wrapped(box, frame.filled(Str::no_such_tile, kernel_of(run).row->name),
                             frame.theme.muted, frame.fonts.body));
  const HeatScale scale = scale_of_tile(run, tile);
  const Box foot = box.cut_bottom(std::round(frame.px(20)));
  box.cut_bottom(frame.px(3));
  if (frame.selection.tile == TileShown::scores) {
    draw_scores(frame, run, tile, box, scale, commands);
  } else {
    const Box head = box.cut_top(std::round(frame.px(18)));
    const std::string holds = contents_of(run, static_cast<TileHandle>(tile));
    draw_text(frame, head, holds.empty() ? std::string(frame.text(Str::tile_not_there)) : holds,
              tensor_colour(frame.theme, kernel_of(run).tiles[std::size_t(tile)].name), frame.fonts.small);
    draw_tile_map(frame, run, tile, box, false, scale, commands);
  }
  draw_foot(frame, run, foot, scale);
}

}  // namespace

void mark_row(const Frame& frame, const Box& strip) {
  const float grow = strip.height() >= 6 ? 0 : (6 - strip.height()) / 2;
  ImGui::GetWindowDrawList()->AddRect({strip.min.x - 1, strip.min.y - grow},
                                      {strip.max.x + 1, strip.max.y + grow}, frame.theme.path, 0, 0,
                                      std::max(1.0f, frame.px(1.5f)));
}

std::string about_tiles(const Frame& frame) {
  if (frame.runs.empty() || !frame.runs.front().has_values()) return "";
  const RunFrame& run = frame.runs.front();
  const int tile = tile_shown(frame, run);
  if (tile < 0 || !holds(run.moment.state, tile)) return "";
  const TileState& state = run.moment.state.tiles[std::size_t(tile)];
  const std::string what = contents_of(run, static_cast<TileHandle>(tile));
  return fmt::format("{} · {}×{}", what, state.rows, state.cols);
}

// Runs stand side by side where there is room, else below one another.
void draw_tiles(const Frame& frame, Commands& commands) {
  const auto count = float(frame.runs.size());
  const float gap = std::round(frame.px(14)), tabs = 34;
  const float width = count > 1 ? 180 : least_width;
  const bool beside = ImGui::GetContentRegionAvail().x >= (frame.px(width) + gap) * count - gap;
  Box box =
      content_box(frame, least_width, tabs + (beside ? least_height : (least_height + 14) * count - 14));
  draw_tabs(frame, box.cut_top(std::round(frame.px(26))), commands);
  box.cut_top(std::round(frame.px(8)));
  const float each_width = std::floor((box.width() - gap * (count - 1)) / count),
              each_height = std::floor((box.height() - gap * (count - 1)) / count);
  for (std::size_t n = 0; n < frame.runs.size(); ++n) {
    ImGui::PushID(int(n));
    draw_run(frame, frame.runs[n], beside ? box.cut_left(each_width) : box.cut_top(each_height), commands);
    ImGui::PopID();
    beside ? box.cut_left(gap) : box.cut_top(gap);
  }
}

}  // namespace tilewalk::viz
