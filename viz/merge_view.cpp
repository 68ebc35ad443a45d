// What the tile at work does to one row of queries: before, the tile's own part, after; with the numbers
// filled in, and m and l over all key blocks.
#include <cmath>

#include "viz/formula.h"
#include "viz/merge_lines.h"
#include "viz/numbers.h"
#include "viz/row_path.h"
#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/views.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

constexpr float least_width = 270;

float line_step(const Frame& frame) { return std::round(frame.px(25)); }

float column_width(const Frame& frame, const Box& box) {
  return std::floor(std::min(frame.px(82), std::max(frame.px(56), box.width() * 0.155f)));
}

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

// The formula, below it the same with numbers where there is room, and at the right the values in columns.
void draw_line(const Frame& frame, Box box, const MergeLine& line, float width, bool filled) {
  const Theme& theme = frame.theme;
  if (line.now) {
    const Box mark{{box.min.x, box.min.y + frame.px(3)}, {box.min.x + frame.px(3), box.max.y - frame.px(3)}};
    ImGui::GetWindowDrawList()->AddRectFilled(mark.min, mark.max, theme.path, frame.px(1.5f));
  }
  box.cut_left(std::round(frame.px(9)));
  Box first = box.cut_top(line_step(frame));
  const Columns columns = cut_columns(frame, first, width);
  const Colour colour = tensor_colour(theme, line.quantity);
  draw_formula(frame, columns.formula, line.formula, frame.fonts.body,
               line.after || line.now ? theme.strong : theme.muted);
  draw_value(frame, columns.before, line.before, theme.text);
  draw_value(frame, columns.tile, line.tile, theme.text);
  if (line.after)
    draw_value(frame, columns.after, line.after, line.wrong ? theme.bad : colour);
  else if (line.has_result)
    draw_text(frame, columns.after, "…", theme.muted, frame.fonts.mono, Align::right);
  if (filled && !line.filled.empty())
    draw_formula(frame, box.inset(frame.px(10), 0), line.filled, frame.fonts.mono_small, theme.muted);
}

// A row of a matrix, as cells.
void draw_strip(const Frame& frame, Box box, std::string_view label, const std::vector<float>& values,
                const HeatScale& scale) {
  Box name = box.cut_left(std::round(frame.px(66)));
  draw_formula(frame, name, label, frame.fonts.body, frame.theme.text);
  box = box.inset(0, frame.px(3));
  HeatGrid grid{1, std::int64_t(values.size()),
                [&](std::int64_t, std::int64_t c) { return CellValue{values[std::size_t(c)]}; }};
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

bool has_strips(const RowMerge& merge) {
  return !merge.o.empty() || !merge.o_new.empty() || !merge.s.empty();
}

void draw_plots(const Frame& frame, Box box, const RowPath& path) {
  const float gap = std::round(frame.px(18));
  const Box left = box.cut_left(std::floor((box.width() - gap) / 2));
  box.cut_left(gap);
  draw_path_plot(frame, left, frame.text(Str::m_over_blocks), path, path.m, tensor_colour(frame.theme, "m"));
  draw_path_plot(frame, box, frame.text(Str::l_over_blocks), path, path.l, tensor_colour(frame.theme, "l"));
}

void draw_heading(const Frame& frame, const RunFrame& run, Box box, const RowMerge& merge) {
  box = origin_badge(frame, box, Origin::model);
  std::string title = frame.filled(Str::merge_row, merge.row);
  if (frame.runs.size() > 1 || run.plan().kernels.size() > 1)
    title = std::string(run.plan().algorithm().name) + " · " + title;
  draw_text(frame, box,
            title + std::string(frame.text(Str::place_separator)) + merge_title(frame, run, merge),
            frame.theme.strong, frame.fonts.body);
}

struct Heights {
  float lines, outputs, notes, total;
  bool filled;
};

// How much each part takes; the numbers below the formulas only where nothing has to scroll for them.
Heights heights_of(const Frame& frame, const std::vector<MergeLine>& lines, const std::vector<Note>& notes,
                   bool has_output, float width, float room) {
  Heights heights{0, has_output ? std::round(frame.px(48)) : 0, 0, 0, false};
  const float step = line_step(frame), heading = std::round(frame.px(46));
  for (const Note& note : notes)
    heights.notes += float(wrapped(note.text, width, frame.fonts.body).size()) *
                         std::ceil(line_height(frame.fonts.body) * 1.2f) +
                     frame.px(4);
  const float once = step * float(lines.size()), below = std::round(frame.px(18)) * float(lines.size());
  heights.filled = heading + once + below + heights.outputs + heights.notes <= room;
  heights.lines = once + (heights.filled ? below : 0);
  heights.total = heading + heights.lines + heights.outputs + heights.notes;
  return heights;
}

void draw_run(const Frame& frame, const RunFrame& run, Box box, const RowMerge& merge) {
  const auto lines = merge_lines(run, merge);
  const auto notes = merge_notes(frame, run, merge);
  const bool has_output = has_strips(merge);
  const Heights heights = heights_of(frame, lines, notes, has_output, box.width(), box.height());
  draw_heading(frame, run, box.cut_top(std::round(frame.px(24))), merge);
  const float width = column_width(frame, box);
  if (!lines.empty()) draw_titles(frame, box.cut_top(std::round(frame.px(22))), width);
  for (const MergeLine& line : lines)
    draw_line(frame, box.cut_top(heights.lines / float(lines.size())), line, width, heights.filled);
  if (has_output) draw_strips(frame, box.cut_top(heights.outputs), merge);
  for (const Note& note : notes) {
    const float height =
        draw_wrapped(box, note.text, note.bad ? frame.theme.bad : frame.theme.muted, frame.fonts.body);
    box.cut_top(height + frame.px(4));
  }
  box.cut_top(frame.px(4));
  const RowPath path = box.height() >= frame.px(52) ? row_path(run, merge.row) : RowPath();
  if (!path.m.empty()) draw_plots(frame, box.cut_top(std::min(box.height(), frame.px(130))), path);
}

}  // namespace

// Runs stand below one another.
void draw_merge(const Frame& frame, Commands&) {
  const float width = std::max(ImGui::GetContentRegionAvail().x, frame.px(least_width));
  float wanted = 0;
  std::vector<RowMerge> merges;
  for (const RunFrame& run : frame.runs) {
    merges.push_back(row_merge(frame, run));
    wanted += heights_of(frame, merge_lines(run, merges.back()), merge_notes(frame, run, merges.back()),
                         has_strips(merges.back()), width, 0)
                  .total +
              frame.px(12);
  }
  Box box = content_box(frame, least_width, wanted / frame.px(1));
  const float spare = std::max(0.0f, box.height() - wanted) / float(frame.runs.size());
  for (std::size_t n = 0; n < frame.runs.size(); ++n) {
    const RunFrame& run = frame.runs[n];
    const float each = heights_of(frame, merge_lines(run, merges[n]), merge_notes(frame, run, merges[n]),
                                  has_strips(merges[n]), width, 0)
                           .total +
                       frame.px(12) + spare;
    ImGui::PushID(int(n));
    draw_run(frame, run, box.cut_top(each), merges[n]);
    ImGui::PopID();
  }
}

}  // namespace tilewalk::viz
