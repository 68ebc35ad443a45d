// The values of the tile at work: scores or weights with m, l and alpha beside them, or Q, K, V, O; or m, l
// and O of all rows.
#include "viz/tiles_parts.h"

#include <cmath>

#include "viz/heat_map.h"
#include "viz/memory_parts.h"
#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/tile_values.h"
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
  if (row.width() >= 5 * frame.px(53) + last + frame.px(80)) row = origin_badge(frame, row, Origin::model);
  for (std::size_t n = 0; n < std::size(all); ++n) {
    const Box box = row.cut_left(n == 5 ? last : std::min(width, frame.px(48)));
    row.cut_left(gap);
    ImGui::PushID(int(n));
    if (text_button(frame, box, "tab", labels[n], frame.selection.tile == all[n]))
      commands.push_back(ShowTile{all[n]});
    ImGui::PopID();
  }
}

HeatScale scale_of_tile(const RunFrame& run, int tile) {
  const Tile& row = kernel_of(run).tiles[std::size_t(tile)];
  const bool weights = row.rows == Axis::q && row.cols == Axis::kv &&
                       score_stage(run) == ScoreStage::weights && run.plan().algorithm().softmax;
  return weights ? HeatScale{true, 1} : scale_of(grid_of_tile(run, tile));
}

void draw_foot(const Frame& frame, const RunFrame& run, Box box, HeatScale scale) {
  const std::string row = frame.filled(Str::row_number, chosen_row(frame, run));
  const float wanted = std::ceil(text_width(row, frame.fonts.small)) + 1;
  draw_text(frame, box.cut_right(wanted), row, frame.theme.path, frame.fonts.small, Align::right);
  box.cut_right(frame.px(10));
  const std::string_view log = frame.text(Str::log_scale);
  const float words = std::ceil(text_width(log, frame.fonts.small)) + frame.px(8);
  if (scale.weights && box.width() >= frame.px(150) + words)
    draw_text(frame, box.cut_right(words), log, frame.theme.muted, frame.fonts.small, Align::right);
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
