// How a chart's series are told apart: by colour, mark and dash.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/chart_svg.h"

namespace tilewalk::chart {

inline constexpr double mark_radius = 5;

struct Look {
  const char* colour;
  const char* dash;  // nullptr: solid, with filled marks
  std::size_t mark;
  double line_width = 2.25;
  double radius = mark_radius;

  std::string line_paint() const;  // SVG attributes
  std::string mark_svg(Point centre) const;
};

// Look number `number`; beyond 8 they repeat.
Look look_of(std::size_t number, bool dashed);

}  // namespace tilewalk::chart
