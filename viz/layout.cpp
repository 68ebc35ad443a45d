#include "viz/layout.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "viz/views.h"

namespace tilewalk::viz {
namespace {

constexpr float gap = 10;

// A place and the share of its column's height.
struct Part {
  std::vector<Place> places;
  float share;
};
struct Column {
  std::vector<Part> parts;
  float share;  // of the width
};

using enum Place;

// From the mock: the lesson or the what-if panel leads, the machine is in the middle, numbers are at the
// right.
const std::vector<Column> large{{{{{left}, 1}}, 0.21f},
                                {{{{middle_top}, 0.49f}, {{middle_bottom, middle_corner}, 0.51f}}, 0.42f},
                                {{{{right_top}, 0.49f}, {{right_bottom}, 0.51f}}, 0.37f}};
const std::vector<Column> medium{
    {{{{middle_top, left}, 0.45f}, {{middle_bottom, middle_corner}, 0.55f}}, 0.55f},
    {{{{right_top}, 0.5f}, {{right_bottom}, 0.5f}}, 0.45f}};
const std::vector<Column> flat{{{{{middle_bottom, middle_top, middle_corner}, 1}}, 0.5f},
                               {{{{right_top, right_bottom, left}, 1}}, 0.5f}};
const std::vector<Column> small{
    {{{{middle_bottom, middle_top, middle_corner, left, right_top, right_bottom}, 1}}, 1}};

const std::vector<Column>& columns_for(float width, float height) {
  if (width >= 1180 && height >= 640) return large;
  if (width >= 900 && height >= 600) return medium;
  return width >= 760 ? flat : small;
}

std::vector<ViewId> views_at(const std::vector<Place>& places) {
  std::vector<ViewId> found;
  for (const Place place : places) {
    for (const ViewRow& view : views()) {
      if (view.place == place) found.push_back(view.id);
    }
  }
  return found;
}

// Where there is room, the two lower places of the middle column stand side by side.
void add_part(const Part& part, const Box& box, float pixels, std::size_t runs, std::vector<Panel>& panels) {
  const bool splits =
      part.places == std::vector{middle_bottom, middle_corner} && runs <= 1 && box.width() >= 620 * pixels;
  if (!splits) return panels.push_back({box, views_at(part.places)});
  Box rest = box;
  const Box first = rest.cut_left(std::floor((box.width() - gap * pixels) / 2));
  rest.cut_left(gap * pixels);
  panels.push_back({first, views_at({middle_bottom})});
  panels.push_back({rest, views_at({middle_corner})});
}

void add_column(const Column& column, Box box, float pixels, std::size_t runs, std::vector<Panel>& panels) {
  const float height = box.height() - gap * pixels * float(column.parts.size() - 1);
  for (const Part& part : column.parts) {
    const bool last = &part == &column.parts.back();
    add_part(part, last ? box : box.cut_top(std::floor(height * part.share)), pixels, runs, panels);
    box.cut_top(gap * pixels);
  }
}

}  // namespace

Layout layout_of(ImVec2 size, float pixels, std::size_t runs) {
  const float height = size.y / pixels;
  const bool low = height < 560;
  Layout layout;
  Box rest{{0, 0}, size};
  layout.title = rest.cut_top(std::round((low ? 40 : 50) * pixels));
  layout.timeline = rest.cut_bottom(std::round((low ? 84 : 112) * pixels));
  rest = rest.inset(std::round(gap * pixels));
  const auto& columns = columns_for(size.x / pixels, height);
  const float width = rest.width() - gap * pixels * float(columns.size() - 1);
  for (const Column& column : columns) {
    const bool last = &column == &columns.back();
    add_column(column, last ? rest : rest.cut_left(std::floor(width * column.share)), pixels, runs,
               layout.panels);
    rest.cut_left(gap * pixels);
  }
  return layout;
}

ViewId seen(const Panel& panel, const Settings& settings) {
  for (auto id = settings.raised.rbegin(); id != settings.raised.rend(); ++id) {
    if (std::find(panel.views.begin(), panel.views.end(), *id) != panel.views.end()) return *id;
  }
  return panel.views.front();
}

}  // namespace tilewalk::viz
