#include "cli/chart_marks.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace tilewalk::chart {
namespace {

// Contrast with white at least 3:1. Under simulated protanopia, deuteranopia and tritanopia any two differ by
// 19 or more (CIE 1976 colour difference).
constexpr std::array<const char*, 8> colours = {"#0072b2", "#d55e00", "#650bb3", "#00a35a",
                                                "#522e09", "#8f8a91", "#29023d", "#5c5549"};
constexpr std::array<const char*, 4> dashes = {"9 5", "2.5 4.5", "12 4 2.5 4", "5 3"};

struct Polar {
  double degrees, distance;  // clockwise from the right
};

// A polygon around the origin: the corners, `times` times around.
std::vector<Point> around(int times, const std::vector<Polar>& corners, double turn = 0) {
  std::vector<Point> points;
  for (int i = 0; i < times; ++i) {
    for (const auto& [degrees, distance] : corners) {
      const double angle = (degrees + turn + 360.0 * i / times) * std::numbers::pi / 180;
      points.push_back({distance * std::cos(angle), distance * std::sin(angle)});
    }
  }
  return points;
}

// The outline of a mark for radius 1; a circle has none.
std::vector<Point> mark_outline(std::size_t mark) {
  const std::vector<Polar> arm = {{-22, 1.4}, {22, 1.4}, {45, 0.74}};
  switch (mark) {
    case 1: return around(4, {{45, 1.3}});                // square
    case 2: return around(3, {{-90, 1.4}});               // triangle
    case 3: return around(4, {{0, 1.45}});                // diamond
    case 4: return around(3, {{90, 1.4}});                // triangle, point down
    case 5: return around(4, arm);                        // plus
    case 6: return around(5, {{-90, 1.6}, {-54, 0.72}});  // star
    case 7: return around(4, arm, 45);                    // cross
    default: return {};
  }
}

}  // namespace

std::string Look::line_paint() const {
  return fmt::format(R"(fill="none" stroke="{}" stroke-width="{:.2f}" stroke-linejoin="round"{})", colour,
                     line_width, dash ? fmt::format(R"( stroke-dasharray="{}")", dash) : "");
}

std::string Look::mark_svg(Point centre) const {
  const std::string paint = dash ? fmt::format(R"(fill="none" stroke="{}" stroke-width="1.8")", colour)
                                 : fmt::format(R"(fill="{}" stroke="#ffffff" stroke-width="1.2")", colour);
  const std::vector<Point> outline = mark_outline(mark);
  if (outline.empty()) {
    return fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" {}/>)", centre.x, centre.y, radius,
                       paint);
  }
  std::string points;
  for (const Point& corner : outline) {
    points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", centre.x + radius * corner.x,
                          centre.y + radius * corner.y);
  }
  return fmt::format(R"(<polygon points="{}" {}/>)", points, paint);
}

Look look_of(std::size_t number, bool dashed) {
  Look look{colours[number % colours.size()], nullptr, number % colours.size()};
  if (dashed) {
    look.dash = dashes[number % dashes.size()];
    look.radius = mark_radius + 1.5;  // stays visible around a filled mark
  }
  return look;
}

}  // namespace tilewalk::chart
