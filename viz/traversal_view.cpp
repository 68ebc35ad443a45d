// The tiles of the score matrix: visited, current, skipped by the mask, still to come; and the way between
// them.
#include <cmath>

#include "viz/tile_grid.h"
#include "viz/views.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

void draw_cells(const Frame& frame, const TileGrid& grid) {
  for (std::int64_t row = 0; row < grid.rows; ++row) {
    for (std::int64_t col = 0; col < grid.cols; ++col)
      draw_cell(frame.theme, grid.box(row, col), state_of_cell(grid, row, col));
  }
}

// The inner loop so far, as a line through its tiles; a dot where the run is. The head of the line says the
// direction.
void draw_path(const Frame& frame, const TileGrid& grid) {
  if (!grid.run->moment.tile || grid.turn < 0) return;
  const TileId now = *grid.run->moment.tile;
  const bool across = grid.run->plan().kernels[grid.run->moment.location.launch].row->outer == Axis::q;
  const auto centre = [&](TileId tile) {
    return grid.box(tile.row / grid.group, tile.col / grid.group).centre();
  };
  TileId first = now;
  const std::int64_t length = across ? grid.visits->cols() : grid.visits->rows();
  for (std::int64_t n = 0; n < length; ++n) {
    const TileId tile = across ? TileId{now.row, n} : TileId{n, now.col};
    const std::int64_t turn = grid.visits->turn(tile);
    if (turn != Visits::never && turn < grid.visits->turn(first)) first = tile;
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float thickness = std::max(1.5f, std::min(grid.cell * 0.14f, frame.px(3)));
  list->AddLine(centre(first), centre(now), frame.theme.path, thickness);
  list->AddCircleFilled(centre(first), thickness * 1.3f, frame.theme.path);
  const float dot = std::max(frame.px(2.5f), grid.cell * 0.22f);
  list->AddCircleFilled(centre(now), dot, tensor_colour(frame.theme, "P"));
  list->AddCircle(centre(now), dot, frame.theme.background, 0, std::max(1.0f, dot * 0.25f));
}

void draw_axes(const Frame& frame, const TileGrid& grid, const Box& above) {
  Box rest{{grid.origin.x, above.min.y}, above.max};
  std::string_view rows = frame.text(Str::query_blocks), cols = frame.text(Str::key_blocks);
  const float gap = frame.px(14),
              wanted = text_width(rows, frame.fonts.small) + gap + text_width(cols, frame.fonts.small);
  if (wanted > rest.width()) {
    rows = frame.text(Str::query_blocks_short);
    cols = frame.text(Str::key_blocks_short);
  }
  draw_text(frame, rest.cut_left(text_width(rows, frame.fonts.small) + gap), rows,
            tensor_colour(frame.theme, "Q"), frame.fonts.small);
  draw_text(frame, rest, cols, tensor_colour(frame.theme, "K"), frame.fonts.small);
}

struct Entry {
  Cell state;
  std::string text;
};

std::vector<Entry> legend_of(const Frame& frame, const RunFrame& run, const Visits& visits) {
  const std::int64_t all = visits.rows() * visits.cols(),
                     turn = run.moment.tile ? visits.turn(*run.moment.tile) : -1;
  const std::int64_t now = run.moment.in_tile ? 1 : 0, done = turn + 1 - now;
  std::vector<Entry> legend;
  const auto add = [&](Cell state, Str text, std::int64_t count) {
    legend.push_back({state, frame.filled(text, grouped(static_cast<std::uint64_t>(count)))});
  };
  add(Cell::done, Str::cells_done, done);
  add(Cell::current, Str::cells_now, now);
  add(Cell::to_come, Str::cells_to_come, visits.count() - done - now);
  if (visits.count() < all) add(Cell::masked, Str::cells_masked, all - visits.count());
  return legend;
}

float entry_width(const Frame& frame, const Entry& entry) {
  return std::round(frame.px(11)) + frame.px(6) + std::ceil(text_width(entry.text, frame.fonts.small)) + 1;
}

// A cell in the colour of its state, and how many tiles are in it. What does not fit a line goes on in the
// next; in a narrow box that is every one.
void draw_legend(const Frame& frame, const std::vector<Entry>& legend, Box box) {
  const float line = std::round(frame.px(20)), square = std::round(frame.px(11));
  Box row = box.cut_top(line);
  for (const Entry& entry : legend) {
    const float width = entry_width(frame, entry);
    if (width > row.width() && row.min.x > box.min.x) row = box.cut_top(line);
    Box place = row.cut_left(width);
    row.cut_left(frame.px(14));
    const float top = std::floor(place.centre().y - square / 2);
    draw_cell(frame.theme, {{place.min.x, top}, {place.min.x + square, top + square}}, entry.state);
    place.cut_left(square + frame.px(6));
    draw_text(frame, place, entry.text, frame.theme.text, frame.fonts.small);
  }
}

// The legend stands beside the grid in a flat box, else below it, in as many lines as it takes. Cuts its room
// off.
Box cut_legend(const Frame& frame, const std::vector<Entry>& legend, Box& box) {
  float widest = 0;
  for (const Entry& entry : legend) widest = std::max(widest, entry_width(frame, entry));
  if (box.width() - widest - frame.px(16) >= box.height()) {
    Box side = box.cut_right(widest);
    box.cut_right(frame.px(16));
    side.cut_top(frame.px(20));
    return side;
  }
  // As draw_legend() breaks them.
  float lines = 1, room = box.width();
  for (const Entry& entry : legend) {
    const float width = entry_width(frame, entry);
    if (width > room && room < box.width()) ++lines, room = box.width();
    room = std::max(0.0f, room - width - frame.px(14));
  }
  const Box below = box.cut_bottom(std::round(frame.px(20)) * lines);
  box.cut_bottom(std::round(frame.px(6)));
  return below;
}

std::string hover_words(const Frame& frame, const TileGrid& grid, TileId tile) {
  constexpr Str states[] = {Str::state_to_come, Str::state_done, Str::state_current, Str::state_masked};
  const Plan& plan = grid.run->plan();
  const Rect rect = plan.kernels[grid.run->moment.location.launch].rect(tile.row, tile.col, plan.problem());
  std::string text = frame.filled(Str::hover_tile, tile.row, tile.col) + "\n";
  text +=
      frame.filled(Str::hover_rows, rect.row, rect.row + rect.rows - 1, rect.col, rect.col + rect.cols - 1) +
      "\n";
  text += frame.text(states[static_cast<std::size_t>(state_of(grid, tile))]);
  if (grid.group > 1) text += "\n" + frame.filled(Str::cell_means, grid.group, grid.group);
  return text + "\n" + std::string(frame.text(Str::click_to_go));
}

void take_mouse(const Frame& frame, const TileGrid& grid, std::size_t run, Commands& commands) {
  const Box all{grid.origin,
                {grid.origin.x + grid.cell * float(grid.cols), grid.origin.y + grid.cell * float(grid.rows)}};
  const bool pressed = clicked("grid", all);
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto at = [&](float distance, std::int64_t size) {
    const auto cell = static_cast<std::int64_t>(distance / grid.cell);
    return std::clamp<std::int64_t>(cell * grid.group, 0, size - 1);
  };
  const TileId tile{at(mouse.y - grid.origin.y, grid.visits->rows()),
                    at(mouse.x - grid.origin.x, grid.visits->cols())};
  const Box cell = grid.box(tile.row / grid.group, tile.col / grid.group);
  ImGui::GetWindowDrawList()->AddRect(cell.min, cell.max, frame.theme.strong, 0, 0,
                                      std::max(1.0f, frame.px(1.5f)));
  if (pressed) commands.push_back(SeekTile{tile.row, tile.col, run});
  tooltip(frame, hover_words(frame, grid, tile));
}

void draw_run(const Frame& frame, std::size_t n, Box box, Commands& commands) {
  const RunFrame& run = frame.runs[n];
  const Kernel& kernel = run.plan().kernels[run.moment.location.launch];
  if (frame.runs.size() > 1 || run.plan().kernels.size() > 1) {
    const std::string_view algorithm = run.plan().algorithm().name, name = kernel.row->name;
    const std::string title = name == algorithm ? std::string(name) : fmt::format("{} · {}", algorithm, name);
    draw_text(frame, box.cut_top(std::round(frame.px(20))), title, frame.theme.text, frame.fonts.small);
  }
  if (run.facts.visits[run.moment.location.launch].count() == 0) {
    draw_wrapped(box, frame.filled(Str::no_tiles, kernel.row->name), frame.theme.muted, frame.fonts.body);
    return;
  }
  const auto legend = legend_of(frame, run, run.facts.visits[run.moment.location.launch]);
  const Box beside = cut_legend(frame, legend, box);
  const Box above = box.cut_top(std::round(frame.px(20)));
  const TileGrid grid = grid_of(run, box);
  draw_axes(frame, grid, above);
  draw_cells(frame, grid);
  draw_path(frame, grid);
  if (!asks(frame)) draw_legend(frame, legend, beside);
  ImGui::PushID(static_cast<int>(n));
  take_mouse(frame, grid, n, commands);
  ImGui::PopID();
}

}  // namespace

std::string about_traversal(const Frame& frame) {
  if (frame.runs.empty() || !frame.runs.front().moment.tile) return "";
  const RunFrame& run = frame.runs.front();
  const std::string tile = frame.filled(Str::tile_at, run.moment.tile->row, run.moment.tile->col);
  const std::int64_t group = group_of(run.facts.visits[run.moment.location.launch]);
  return group == 1 ? tile : frame.filled(Str::cell_means, group, group) + " · " + tile;
}

// Runs stand beside one another where there is room, else below.
void draw_traversal(const Frame& frame, Commands& commands) {
  const auto count = float(frame.runs.size());
  const float gap = frame.px(16), least_width = frame.runs.size() == 1 ? 120 : 145, least_height = 132;
  const bool beside = ImGui::GetContentRegionAvail().x >= (frame.px(least_width) + gap) * count - gap;
  Box box = content_box(frame, least_width, beside ? least_height : (least_height + 16) * count);
  const float width = std::floor((box.width() - gap * (count - 1)) / count);
  const float height = std::floor((box.height() - gap * (count - 1)) / count);
  for (std::size_t n = 0; n < frame.runs.size(); ++n) {
    draw_run(frame, n, beside ? box.cut_left(width) : box.cut_top(height), commands);
    beside ? box.cut_left(gap) : box.cut_top(gap);
  }
}

}  // namespace tilewalk::viz
