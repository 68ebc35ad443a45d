// Parts that long panels are made of: headings with the origins of what stands below, and numbers that fit.
#pragma once

#include <initializer_list>
#include <string>

#include "viz/widgets.h"

namespace tilewalk::viz {

// A heading with badges at its right end; a line above it unless it is the first of its panel.
void section_heading(const Frame& frame, Box box, std::string_view title,
                     std::initializer_list<Origin> origins, bool first = false);

// "312 T", "1.56 k": three figures and the prefix.
std::string prefixed(double number);

// The bytes in full where that fits, else with a prefix: "1 048 576 B", "1.05 MB".
std::string bytes_text(std::uint64_t bytes, float width, const ImFont* font);

// "12.3 µs".
std::string seconds_text(double seconds);

}  // namespace tilewalk::viz
