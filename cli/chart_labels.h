// The names of a chart's series, at the right of the plot: each stands beside the end of its line, with a
// leader to it and a sample of it (a piece of the line with a mark).
#pragma once

#include <string>
#include <vector>

#include "cli/chart_lines.h"

namespace tilewalk::chart {

class Labels {
 public:
  explicit Labels(const std::vector<Series>& series);

  // Where the plot has to end for the longest name to end at `right`.
  double plot_end(double right) const;
  std::string svg(const std::vector<Line>& lines, const Box& plot) const;

 private:
  std::string label_svg(const Line& line, double plot_right, double y) const;

  double name_room_ = 0;
};

}  // namespace tilewalk::chart
