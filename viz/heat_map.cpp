#include "viz/heat_map.h"

#include <cmath>

#include "viz/numbers.h"
#include "viz/text.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

constexpr float thinnest = 2.5f;          // pixels of a cell
constexpr std::int64_t most_cells = 96;   // a side
constexpr std::int64_t most_samples = 4;  // of the values that a cell stands for
constexpr float shades = 40;              // so that neighbours of nearly one colour are drawn as one

struct Ends {
  Colour negative, positive, far;  // far: beyond positive, for weights near 1
};

Ends ends_of(const Theme& theme) {
  switch (theme.name) {
    case ThemeName::dark: return {rgb(0x4FA3FF), rgb(0xFF9A3C), rgb(0xFFE9B0)};
    case ThemeName::light: return {rgb(0x1257B0), rgb(0xC75300), rgb(0x5C1A00)};
    case ThemeName::contrast: return {rgb(0x58B0FF), rgb(0xFFA030), rgb(0xFFFFFF)};
  }
  return {};
}

float shaded(float part) { return std::round(std::clamp(part, 0.0f, 1.0f) * shades) / shades; }

// The value of a cell: of those that it stands for, the one furthest from 0.
CellValue pick(const HeatMap& map, const HeatGrid& grid, std::int64_t y, std::int64_t x) {
  const std::int64_t r0 = y * map.rows / map.down, r1 = std::max(r0 + 1, (y + 1) * map.rows / map.down);
  const std::int64_t c0 = x * map.cols / map.across, c1 = std::max(c0 + 1, (x + 1) * map.cols / map.across);
  if (r1 - r0 == 1 && c1 - c0 == 1) return grid.at(r0, c0);
  const std::int64_t stride = std::max<std::int64_t>(1, (r1 - r0) * (c1 - c0) / most_samples);
  CellValue best = grid.at((r0 + r1) / 2, (c0 + c1) / 2);
  for (std::int64_t n = 0; n < (r1 - r0) * (c1 - c0); n += stride) {
    const CellValue value = grid.at(r0 + n / (c1 - c0), c0 + n % (c1 - c0));
    if (value.kind != CellKind::value) continue;
    if (best.kind != CellKind::value || std::abs(value.value) > std::abs(best.value)) best = value;
  }
  return best;
}

bool is_light(Colour c) {
  return 0.30f * float(c & 0xFF) + 0.59f * float(c >> 8 & 0xFF) + 0.11f * float(c >> 16 & 0xFF) > 128;
}

void draw_number(const Frame& frame, const Box& cell, float value, Colour behind) {
  const ImFont* font = frame.fonts.mono_small;
  if (cell.height() < line_height(font)) return;
  const int characters = static_cast<int>((cell.width() - 2) / text_width("0", font));
  const std::string text = characters < 3 && value != 0 ? "" : short_number(value, std::min(characters, 6));
  if (!text.empty())
    draw_text(frame, cell, text, is_light(behind) ? rgb(0x101418) : rgb(0xFFFFFF), font, Align::centre);
}

// What holds no value: hatched both for what is masked and for what was never written, the latter more
// densely.
void draw_no_value(const Frame& frame, const Box& box, CellKind kind) {
  const Theme& theme = frame.theme;
  const bool masked = kind == CellKind::masked;
  ImGui::GetWindowDrawList()->AddRectFilled(box.min, box.max,
                                            masked ? theme.masked : mixed(theme.inset, theme.muted, 0.12f));
  hatch(box, mixed(theme.masked, theme.muted, masked ? 0.45f : 0.7f),
        std::max(4.0f, frame.px(masked ? 7 : 4)));
}

}  // namespace

HeatScale scale_of(const HeatGrid& grid) {
  HeatScale scale{false, 0};
  const std::int64_t count = grid.rows * grid.cols, stride = std::max<std::int64_t>(1, count / 1024);
  for (std::int64_t n = 0; n < count; n += stride) {
    const CellValue value = grid.at(n / grid.cols, n % grid.cols);
    if (value.kind == CellKind::value && std::isfinite(value.value))
      scale.most = std::max(scale.most, std::abs(value.value));
  }
  if (scale.most == 0) scale.most = 1;
  return scale;
}

Colour heat_colour(const Theme& theme, const HeatScale& scale, float value) {
  if (std::isnan(value)) return theme.bad;
  const Ends ends = ends_of(theme);
  const Colour middle = mixed(theme.inset, theme.panel, 0.5f);
  if (!scale.weights) {
    const float part = shaded(std::abs(value) / scale.most);
    return mixed(middle, value < 0 ? ends.negative : ends.positive, part);
  }
  const float part = value <= least_weight ? 0 : shaded(1 - std::log10(value) / std::log10(least_weight));
  return part < 0.7f ? mixed(middle, ends.positive, part / 0.7f)
                     : mixed(ends.positive, ends.far, (part - 0.7f) / 0.3f);
}

std::optional<std::pair<std::int64_t, std::int64_t>> HeatMap::under(ImVec2 mouse) const {
  if (!box.contains(mouse) || rows == 0 || cols == 0) return std::nullopt;
  const auto y = std::int64_t((mouse.y - box.min.y) / box.height() * float(down)),
             x = std::int64_t((mouse.x - box.min.x) / box.width() * float(across));
  return std::pair{(2 * y + 1) * rows / (2 * down), (2 * x + 1) * cols / (2 * across)};
}

Box HeatMap::row(std::int64_t r) const {
  const float h = box.height() / float(down), y = box.min.y + float(r * down / rows) * h;
  return {{box.min.x, y}, {box.max.x, y + h}};
}

Box HeatMap::value(std::int64_t r, std::int64_t c) const {
  const Box strip = row(r);
  const float w = box.width() / float(across), x = box.min.x + float(c * across / cols) * w;
  return {{x, strip.min.y}, {x + w, strip.max.y}};
}

HeatMap place_heat_map(std::int64_t rows, std::int64_t cols, const Box& area, bool square) {
  HeatMap map{area, rows, cols, 1, 1};
  if (rows <= 0 || cols <= 0 || area.empty()) return map.box = {area.min, area.min}, map;
  const auto cells = [](std::int64_t values, float length) {
    return std::clamp<std::int64_t>(std::int64_t(length / thinnest), 1, std::min(values, most_cells));
  };
  map.down = cells(rows, area.height());
  map.across = cells(cols, area.width());
  float h = area.height() / float(map.down), w = area.width() / float(map.across);
  if (square) {
    const float side = std::min(area.height() / float(rows), area.width() / float(cols));
    map.down = cells(rows, side * float(rows));
    map.across = cells(cols, side * float(cols));
    h = side * float(rows) / float(map.down), w = side * float(cols) / float(map.across);
  } else {
    h = std::min(h, 3 * w), w = std::min(w, 3 * h);
  }
  map.box = {area.min, {area.min.x + w * float(map.across), area.min.y + h * float(map.down)}};
  return map;
}

void draw_heat_map(const Frame& frame, const HeatMap& map, const HeatGrid& grid, const HeatScale& scale) {
  if (map.box.empty()) return;
  const float w = map.box.width() / float(map.across), h = map.box.height() / float(map.down);
  const float gap = std::min(w, h) >= 6 ? 1.0f : 0.0f;
  ImDrawList* list = ImGui::GetWindowDrawList();
  // On whole pixels, where cells are large enough for it not to make them uneven.
  const auto edge = [gap](float start, std::int64_t n, float step) {
    const float at = start + float(n) * step;
    return gap > 0 ? std::floor(at) : at;
  };
  const auto look = [&](const CellValue& v) {
    return v.kind == CellKind::value ? heat_colour(frame.theme, scale, v.value) : Colour(v.kind);
  };
  std::int64_t empty_from = 0;  // rows above this one, from here on, hold no value and are alike
  CellKind empty = CellKind::value;
  const auto finish_empty = [&](std::int64_t y) {
    if (empty != CellKind::value)
      draw_no_value(frame,
                    {{map.box.min.x, edge(map.box.min.y, empty_from, h)},
                     {edge(map.box.min.x, map.across, w) - gap, edge(map.box.min.y, y, h) - gap}},
                    empty);
    empty = CellKind::value;
  };
  for (std::int64_t y = 0; y < map.down; ++y) {
    CellValue next = pick(map, grid, y, 0);
    for (std::int64_t x = 0; x < map.across;) {
      const CellValue now = next;
      const std::int64_t begin = x;
      // Cells that look alike are drawn as one; those with gaps, only where they hold no value.
      do {
        if (++x < map.across) next = pick(map, grid, y, x);
      } while (x < map.across && look(next) == look(now) && (gap == 0 || now.kind != CellKind::value));
      const bool whole_row = now.kind != CellKind::value && begin == 0 && x == map.across;
      if (!whole_row || empty != now.kind) finish_empty(y);
      if (whole_row) {
        if (empty == CellKind::value) empty = now.kind, empty_from = y;
        continue;
      }
      const Box cell{{edge(map.box.min.x, begin, w), edge(map.box.min.y, y, h)},
                     {edge(map.box.min.x, x, w) - gap, edge(map.box.min.y, y + 1, h) - gap}};
      if (now.kind != CellKind::value) {
        draw_no_value(frame, cell, now.kind);
      } else {
        list->AddRectFilled(cell.min, cell.max, look(now));
        if (x == begin + 1 && !map.decimated()) draw_number(frame, cell, now.value, look(now));
      }
    }
  }
  finish_empty(map.down);
}

void draw_heat_legend(const Frame& frame, Box box, const HeatScale& scale) {
  const ImFont* font = frame.fonts.mono_small;
  const std::string low = scale.weights ? "0" : number(-scale.most),
                    high = scale.weights ? "1" : number(scale.most);
  const float least = frame.px(40),
              ends = std::ceil(text_width(low, font)) + std::ceil(text_width(high, font)) + frame.px(14);
  if (box.width() < least + ends) return;
  box = box.cut_left(std::min(box.width(), frame.px(120) + ends));
  draw_text(frame, box.cut_left(std::ceil(text_width(low, font)) + 1), low, frame.theme.muted, font);
  box.cut_left(frame.px(6));
  draw_text(frame, box.cut_right(std::ceil(text_width(high, font)) + 1), high, frame.theme.muted, font,
            Align::right);
  box.cut_right(frame.px(6));
  const Box bar = box.inset(0, std::max(0.0f, (box.height() - frame.px(9)) / 2));
  constexpr int steps = 24;
  for (int n = 0; n < steps; ++n) {
    const float part = float(n) / float(steps - 1);
    const float value = scale.weights ? std::pow(least_weight, 1 - part) : scale.most * (2 * part - 1);
    const float x = bar.min.x + bar.width() * float(n) / steps;
    ImGui::GetWindowDrawList()->AddRectFilled({x, bar.min.y}, {x + bar.width() / steps + 0.5f, bar.max.y},
                                              heat_colour(frame.theme, scale, value));
  }
}

}  // namespace tilewalk::viz
