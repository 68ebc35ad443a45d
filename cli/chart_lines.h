// A chart's series as lines with marks.
#pragma once

#include <string>
#include <vector>

#include "cli/chart.h"
#include "cli/chart_axis.h"
#include "cli/chart_marks.h"

namespace tilewalk::chart {

// A series in the picture, without the points that are gaps.
struct Line {
  const Series* series;
  Look look;
  std::vector<std::vector<Point>> runs;  // the pieces between gaps
  std::vector<std::string> texts;        // of each point: "standard: 2.097 MB at 512"
  int layer = 1;                         // higher ones are drawn later
};

// Whether the point is none of the gaps.
bool is_drawable(double x, double y);

// The lines keep pointers to the series. A line that a later one covers is broader and below all others, so
// that both are seen. Throws std::invalid_argument if a series' colour_of is no earlier one.
std::vector<Line> lines_of(const std::vector<Series>& series, const Axis& x_axis, const Axis& y_axis);

std::string series_svg(const Line& line);

}  // namespace tilewalk::chart
