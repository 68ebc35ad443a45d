// What the tile at work does to one row of queries: before, the tile's own part, after; with the numbers
// filled in, and m and l over all key blocks.
#include <cmath>

#include "viz/formula.h"
#include "viz/merge_sizes.h"
#include "viz/numbers.h"
#include "viz/row_path.h"
#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/views.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

constexpr float least_width = 270;

struct Columns {
  Box formula, before, tile, after;
};

Columns cut_columns(const Frame& frame, Box row, float width) {
  Columns columns;
  columns.after = row.cut_right(width);
  columns.tile = row.cut_right(width);
  columns.before = row.cut_right(width);
  row.cut_right(frame.px(6));
  columns.formula = row;
  return columns;
}

void draw_titles(const Frame& frame, const Box& row, float width) {
  const Columns columns = cut_columns(frame, row, width);
  const auto title = [&](const Box& box, Str id) {
    draw_text(frame, box, frame.text(id), frame.theme.muted, frame.fonts.small, Align::right);
  };
  title(columns.before, Str::column_before);
  title(columns.tile, Str::column_tile);
  title(columns.after, Str::column_after);
}

std::string shown(const Value& value) { return value ? number(*value) : ""; }

void draw_value(const Frame& frame, const Box& box, const Value& value, Colour colour) {
  draw_text(frame, box, shown(value), colour, frame.fonts.mono, Align::right);
}

// The formula, beside or below it the same with numbers, and at the right the values in columns.
void draw_line(const Frame& frame, Box box, const MergeLine& line, float width, const Heights& heights) {
  const Theme& theme = frame.theme;
  if (line.now) {
    const Box mark{{box.min.x, box.min.y + frame.px(3)}, {box.min.x + frame.px(3), box.max.y - frame.px(3)}};
    ImGui::GetWindowDrawList()->AddRectFilled(mark.min, mark.max, theme.path, frame.px(1.5f));
  }
  box.cut_left(std::round(frame.px(9)));
  Columns columns = cut_columns(frame, box.cut_top(heights.step), width);
  const bool settled = line.after || line.now || !line.has_result;
  const bool beside = heights.filled == Filled::beside && !line.filled.empty();
  const Box formula = beside ? columns.formula.cut_left(heights.formula + frame.px(14)) : columns.formula;
  draw_formula(frame, formula, line.formula, frame.fonts.body, settled ? theme.strong : theme.muted);
  draw_value(frame, columns.before, line.before, theme.text);
  draw_value(frame, columns.tile, line.tile, theme.text);
  const Colour colour = line.wrong             ? theme.bad
                        : line.quantity == "m" ? theme.strong
                                               : tensor_colour(theme, line.quantity);
  if (line.after)
    draw_value(frame, columns.after, line.after, colour);
  else if (line.has_result)
    draw_text(frame, columns.after, "…", theme.muted, frame.fonts.mono, Align::right);
  if (beside) draw_formula(frame, columns.formula, line.filled, frame.fonts.mono_small, theme.muted);
  if (heights.filled == Filled::below && !line.filled.empty())
    draw_formula(frame, box.inset(frame.px(10), 0), line.filled, frame.fonts.mono_small, theme.muted);
}

// A row of a matrix, as cells.
void draw_strip(const Frame& frame, Box box, std::string_view label, const std::vector<float>& values,
                const HeatScale& scale) {
  Box name = box.cut_left(std::round(frame.px(66)));
  draw_formula(frame, name, label, frame.fonts.body, frame.theme.text);
  box = box.inset(0, frame.px(3));
  HeatGrid grid{1, std::int64_t(values.size()), [&](std::int64_t, std::int64_t c) {
                  const float value = values[std::size_t(c)];
                  return CellValue{value, value == -INFINITY ? CellKind::masked : CellKind::value};
                }};
  HeatMap map{box, 1, grid.cols, 1, 1};
  map.across =
      std::clamp<std::int64_t>(std::int64_t(box.width() / 3), 1, std::max<std::int64_t>(1, grid.cols));
  if (values.empty()) {
    ImGui::GetWindowDrawList()->AddRectFilled(box.min, box.max, frame.theme.inset, frame.px(2));
    return hatch(box, frame.theme.to_come, frame.px(7));
  }
  draw_heat_map(frame, map, grid, scale);
  if (const auto cell = ImGui::IsWindowHovered() ? map.under(ImGui::GetIO().MousePos) : std::nullopt)
    tooltip(frame,
            fmt::format("{}[{}] = {}", label, cell->second, number(values[std::size_t(cell->second)])));
}

HeatScale common_scale(std::initializer_list<const std::vector<float>*> rows) {
  HeatScale scale{false, 0};
  for (const auto* values : rows) {
    for (const float v : *values)
      scale.most = std::isfinite(v) ? std::max(scale.most, std::abs(v)) : scale.most;
  }
  if (scale.most == 0) scale.most = 1;
  return scale;
}

// O before and after; in a kernel without O, the scores and the weights.
void draw_strips(const Frame& frame, Box box, const RowMerge& merge) {
  const float step = std::floor(box.height() / 2);
  if (merge.o.empty() && merge.o_new.empty()) {
    draw_strip(frame, box.cut_top(step), "S", merge.s, common_scale({&merge.s}));
    if (!merge.p.empty()) draw_strip(frame, box.cut_top(step), "P", merge.p, {true, 1});
    return;
  }
  const HeatScale scale = common_scale({&merge.o, &merge.o_new});
  const bool alone = merge.kind == MergeKind::finish || merge.kind == MergeKind::elsewhere;
  if (!alone) draw_strip(frame, box.cut_top(step), "O", merge.o, scale);
  draw_strip(frame, box.cut_top(step), alone ? "O" : "O′", merge.o_new, scale);
}

void draw_plots(const Frame& frame, Box box, const RowPath& path) {
  const float gap = std::round(frame.px(18));
  const Box left = box.cut_left(std::floor((box.width() - gap) / 2));
  box.cut_left(gap);
  draw_path_plot(frame, left, frame.text(Str::m_over_blocks), path, path.m, tensor_colour(frame.theme, "m"));
  draw_path_plot(frame, box, frame.text(Str::l_over_blocks), path, path.l, tensor_colour(frame.theme, "l"));
}

void draw_heading(const Frame& frame, const RunFrame& run, Box box, const RowMerge& merge) {
  const std::string name(run.plan().algorithm().name);
  const bool named = frame.runs.size() > 1 || run.plan().kernels.size() > 1;
  if (merge.kind == MergeKind::off)  // there are no numbers
    return void(draw_text(frame, box, name, frame.theme.strong, frame.fonts.body));
  box = origin_badge(frame, box, Origin::model);
  const std::string title = frame.filled(Str::merge_row, merge.row) + " · " + merge_title(frame, run, merge);
  draw_text(frame, box, named ? name + " · " + title : title, frame.theme.strong, frame.fonts.body);
}

void draw_notes(const Frame& frame, Box& box, const std::vector<Note>& notes, bool all) {
  for (const Note& note : notes) {
    if (!all && !note.bad) continue;
    const float height =
        draw_wrapped(box, note.text, note.bad ? frame.theme.bad : frame.theme.muted, frame.fonts.body);
    box.cut_top(height + frame.px(4));
  }
}

void draw_run(const Frame& frame, const RunFrame& run, Box box, const Content& content) {
  const Heights heights = heights_of(frame, content, box.width(), box.height());
  const bool has_lines = !content.lines.empty();
  Box heading = box.cut_top(heights.heading);
  const bool columns = std::any_of(content.lines.begin(), content.lines.end(), [](const MergeLine& line) {
    return line.has_result || line.before || line.tile || line.after;
  });
  const float width = column_width(frame, box.width());
  if (has_lines) {
    const Box titles = heading.cut_bottom(std::floor(heading.height() * 0.46f));
    if (columns) draw_titles(frame, titles, width);
  }
  draw_heading(frame, run, heading, content.merge);
  for (const MergeLine& line : content.lines)
    draw_line(frame, box.cut_top(heights.step + heights.below), line, width, heights);
  if (heights.strips > 0) draw_strips(frame, box.cut_top(heights.strips), content.merge);
  draw_notes(frame, box, content.notes,
             heights.notes >= notes_height(frame, content.notes, box.width(), true));
  box.cut_top(frame.px(4));
  const RowPath path = box.height() >= frame.px(52) ? row_path(run, content.merge.row) : RowPath();
  if (!path.m.empty()) draw_plots(frame, box.cut_top(std::min(box.height(), frame.px(130))), path);
}

}  // namespace

// Runs stand below one another.
void draw_merge(const Frame& frame, Commands&) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = std::max(room.x, frame.px(least_width)), gap = std::round(frame.px(12)),
              count = float(frame.runs.size());
  const float share = (room.y - gap * (count - 1)) / count;
  std::vector<Content> contents;
  std::vector<float> wanted;
  float sum = -gap;
  for (const RunFrame& run : frame.runs) {
    contents.push_back(content_of(frame, run));
    wanted.push_back(heights_of(frame, contents.back(), width, share).total);
    sum += wanted.back() + gap;
  }
  Box box = content_box(frame, least_width, sum / frame.px(1));
  const float spare = std::floor((box.height() - sum) / count);
  for (std::size_t n = 0; n < frame.runs.size(); ++n) {
    ImGui::PushID(int(n));
    draw_run(frame, frame.runs[n], box.cut_top(std::ceil(wanted[n]) + spare), contents[n]);
    ImGui::PopID();
    box.cut_top(gap);
  }
}

}  // namespace tilewalk::viz
