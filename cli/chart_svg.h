// What a chart is drawn with: text and straight lines as SVG, and the room that text takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewalk::chart {

// In the picture: x to the right, y down.
struct Point {
  double x, y;
};

struct Box {
  double left, right, top, bottom;
};

inline constexpr double tick_size = 13, label_size = 14;  // of the font
inline constexpr const char* ink = "#1f2328";
inline constexpr const char* muted_ink = "#57606a";

// Fit for XML text and attributes. Characters that XML does not allow become U+FFFD.
std::string escaped(std::string_view text);

// One line of text, "" if that is empty. `attributes` are SVG, such as text-anchor="middle".
std::string text_svg(std::string_view text, Point at, double size, const char* colour,
                     std::string_view attributes = "");

std::string line_svg(Point from, Point to, const char* colour, double stroke_width);

// The width of a line of text, estimated on the safe side: the viewer's font is unknown.
double text_width(std::string_view text, double size);

// As much of the text as fits, with "…" if that is not all of it.
std::string shortened(std::string_view text, double size, double room);

// Lines that fit into `room`, broken at spaces.
std::vector<std::string> wrapped(const std::string& text, double size, double room);

}  // namespace tilewalk::chart
