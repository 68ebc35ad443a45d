#include "cli/chart_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tilewalk::chart {
namespace {

// Numbers of the looks: one a series, except that those with colour_of share.
std::vector<std::size_t> look_numbers(const std::vector<Series>& series) {
  std::vector<std::size_t> numbers;
  std::size_t next = 0;
  for (const Series& one : series) {
    if (one.colour_of >= static_cast<int>(numbers.size())) {
      throw std::invalid_argument("svg_chart: colour_of is not an earlier series");
    }
    numbers.push_back(one.colour_of < 0 ? next++ : numbers[static_cast<std::size_t>(one.colour_of)]);
  }
  return numbers;
}

Line line_of(const Series& series, std::size_t look, const Axis& x_axis, const Axis& y_axis) {
  Line line{&series, look_of(look, series.dashed), {}, {}};
  if (series.dashed) line.layer = 2;  // dashes leave the line below visible
  bool in_run = false;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const double x = series.x[i], y = series.y[i];
    const bool drawable = is_drawable(x, y);
    if (drawable) {
      if (!in_run) line.runs.emplace_back();
      line.runs.back().push_back({x_axis.at(x), y_axis.at(y)});
      line.texts.push_back(
          fmt::format("{}: {} at {}", series.name, decimal_label(y, y_axis.unit), x_axis.label(x)));
    }
    in_run = drawable;
  }
  return line;
}

std::vector<Point> points_of(const Line& line) {
  std::vector<Point> points;
  for (const auto& run : line.runs) points.insert(points.end(), run.begin(), run.end());
  return points;
}

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

bool coincide(const Line& a, const Line& b) {
  const std::vector<Point> p = points_of(a), q = points_of(b);
  return !p.empty() && std::equal(p.begin(), p.end(), q.begin(), q.end(),
                                  [](Point s, Point t) { return distance(s, t) < 1.5; });
}

void broaden_covered(std::vector<Line>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = i + 1; j < lines.size(); ++j) {
      if (lines[i].series->dashed != lines[j].series->dashed || !coincide(lines[i], lines[j])) continue;
      lines[i].look.line_width = 6.25;
      lines[i].look.radius += 3.5;
      lines[i].layer = 0;
      break;
    }
  }
}

// The points that get a mark: the first, the last, and between them none too close to the mark before it.
std::vector<std::size_t> marked(const std::vector<Point>& points) {
  constexpr double least_distance = 5 * mark_radius;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool end = i == 0 || i + 1 == points.size();
    if (end || distance(points[i], points[kept.back()]) >= least_distance) kept.push_back(i);
  }
  return kept;
}

}  // namespace

bool is_drawable(double x, double y) { return std::isfinite(x) && std::isfinite(y) && x > 0 && y > 0; }

std::vector<Line> lines_of(const std::vector<Series>& series, const Axis& x_axis, const Axis& y_axis) {
  const std::vector<std::size_t> looks = look_numbers(series);
  std::vector<Line> lines;
  for (std::size_t i = 0; i < series.size(); ++i)
    lines.push_back(line_of(series[i], looks[i], x_axis, y_axis));
  broaden_covered(lines);
  return lines;
}

std::string series_svg(const Line& line) {
  std::string svg = fmt::format("<g><title>{}</title>\n", escaped(line.series->name));
  for (const auto& run : line.runs) {
    if (run.size() < 2) continue;
    std::string path;
    for (const Point& point : run)
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : "L", point.x, point.y);
    svg += fmt::format("<path d=\"{}\" {}/>\n", path, line.look.line_paint());
  }
  const std::vector<Point> points = points_of(line);
  for (const std::size_t i : marked(points)) {
    svg += fmt::format("<g><title>{}</title>{}</g>\n", escaped(line.texts[i]), line.look.mark_svg(points[i]));
  }
  return svg + "</g>\n";
}

}  // namespace tilewalk::chart
