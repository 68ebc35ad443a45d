// Matrices as cells whose colour says their value. The colours differ in lightness as well as in hue (blue,
// orange), so that every kind of sight tells them apart.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "viz/box.h"
#include "viz/frame.h"

namespace tilewalk::viz {

enum class CellKind : std::uint8_t { value, masked, unwritten };

struct CellValue {
  float value = 0;
  CellKind kind = CellKind::value;
};

struct HeatGrid {
  std::int64_t rows = 0, cols = 0;
  std::function<CellValue(std::int64_t row, std::int64_t col)> at;
};

// From -most through 0 to most; or weights from 0 to 1, on a scale of powers of ten.
struct HeatScale {
  bool weights = false;
  float most = 1;
};
constexpr float least_weight = 1e-4f;  // smaller ones look like 0

// Of the finite values; samples a large grid.
HeatScale scale_of(const HeatGrid& grid);

Colour heat_colour(const Theme& theme, const HeatScale& scale, float value);

// Where a grid lies. A cell of the drawing stands for several values where they are too many.
struct HeatMap {
  Box box;
  std::int64_t rows, cols;    // values
  std::int64_t down, across;  // cells
  // The value in the middle of the cell under the mouse.
  std::optional<std::pair<std::int64_t, std::int64_t>> under(ImVec2 mouse) const;
  Box row(std::int64_t r) const;  // the strip of cells that shows the row
  Box value(std::int64_t r, std::int64_t c) const;
  bool decimated() const { return down < rows || across < cols; }
};

// As large as the area allows, from its left top corner on. `square`: cells are; else no more than three
// times as wide as high, or as high as wide.
HeatMap place_heat_map(std::int64_t rows, std::int64_t cols, const Box& area, bool square);

// With numbers, where they fit.
void draw_heat_map(const Frame& frame, const HeatMap& map, const HeatGrid& grid, const HeatScale& scale);

// A bar of the colours with its ends and middle.
void draw_heat_legend(const Frame& frame, Box box, const HeatScale& scale);

}  // namespace tilewalk::viz
