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
    {{{{middle_top, left}, 0.63f}, {{middle_bottom, middle_corner}, 0.37f}}, 0.55f},
    {{{{right_top}, 0.5f}, {{right_bottom}, 0.5f}}, 0.45f}};
const std::vector<Column> flat{{{{{middle_bottom, middle_top, middle_corner}, 1}}, 0.5f},
                               {{{{right_top, right_bottom, left}, 1}}, 0.5f}};
const std::vector<Column> small{
    {{{{middle_bottom, middle_top, middle_corner, left, right_top, right_bottom}, 1}}, 1}};

// With a lesson open it keeps a column of its own.
const std::vector<Column> large_lesson{
    {{{{left}, 1}}, 0.27f},
    {{{{middle_top}, 0.49f}, {{middle_bottom, middle_corner}, 0.51f}}, 0.4f},
    {{{{right_top}, 0.49f}, {{right_bottom}, 0.51f}}, 0.33f}};
const std::vector<Column> medium_lesson{
    {{{{left}, 1}}, 0.4f},
    {{{{middle_top, middle_bottom, middle_corner}, 0.5f}, {{right_top, right_bottom}, 0.5f}}, 0.6f}};
const std::vector<Column> flat_lesson{
    {{{{left}, 1}}, 0.48f},
    {{{{middle_bottom, middle_top, middle_corner, right_top, right_bottom}, 1}}, 0.52f}};

const std::vector<Column>& columns_for(float width, float height, bool lesson) {
  if (lesson && width >= 1180 && height >= 640) return large_lesson;
  if (lesson && width >= 900 && height >= 560) return medium_lesson;
  if (lesson && width >= 760) return flat_lesson;
  if (width >= 1180 && height >= 640) return large;
  if (width >= 900 && height >= 600) return medium;
  return width >= 760 ? flat : small;
}

// An open lesson has its place for itself.
Place place_of(const ViewRow& view, bool lesson) {
  return lesson && view.id == ViewId::what_if ? right_bottom : view.place;
}

std::vector<ViewId> views_at(const std::vector<Place>& places, bool lesson) {
  std::vector<ViewId> found;
  for (const Place place : places) {
    for (const ViewRow& view : views()) {
      if (place_of(view, lesson) == place) found.push_back(view.id);
    }
  }
  // Beside a lesson it is what is looked at last.
  if (lesson)
    std::stable_partition(found.begin(), found.end(), [](ViewId id) { return id != ViewId::what_if; });
  return found;
}

struct Room {
  float pixels;
  std::size_t runs;
  bool lesson;  // one is open
};

// Where there is room, the two lower places of the middle column stand side by side.
void add_part(const Part& part, const Box& box, const Room& room, std::vector<Panel>& panels) {
  const bool splits = part.places == std::vector{middle_bottom, middle_corner} && room.runs <= 1 &&
                      box.width() >= 620 * room.pixels;
  if (!splits) return panels.push_back({box, views_at(part.places, room.lesson)});
  Box rest = box;
  const Box first = rest.cut_left(std::floor((box.width() - gap * room.pixels) / 2));
  rest.cut_left(gap * room.pixels);
  panels.push_back({first, views_at({middle_bottom}, room.lesson)});
  panels.push_back({rest, views_at({middle_corner}, room.lesson)});
}

void add_column(const Column& column, Box box, const Room& room, std::vector<Panel>& panels) {
  const float height = box.height() - gap * room.pixels * float(column.parts.size() - 1);
  for (const Part& part : column.parts) {
    const bool last = &part == &column.parts.back();
    add_part(part, last ? box : box.cut_top(std::floor(height * part.share)), room, panels);
    box.cut_top(gap * room.pixels);
  }
}

}  // namespace

Layout layout_of(ImVec2 size, float pixels, std::size_t runs, bool lesson) {
  const float height = size.y / pixels;
  const bool low = height < 560;
  Layout layout;
  Box rest{{0, 0}, size};
  layout.title = rest.cut_top(std::round((low ? 40 : 50) * pixels));
  layout.timeline = rest.cut_bottom(std::round((low ? 84 : 112) * pixels));
  rest = rest.inset(std::round(gap * pixels));
  const auto& columns = columns_for(size.x / pixels, height, lesson);
  const float width = rest.width() - gap * pixels * float(columns.size() - 1);
  for (const Column& column : columns) {
    const bool last = &column == &columns.back();
    add_column(column, last ? rest : rest.cut_left(std::floor(width * column.share)), {pixels, runs, lesson},
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
