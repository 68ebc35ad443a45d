// Formulas on one line, with raised and lowered parts, in the colours of the quantities.
#pragma once

#include <string_view>

#include "viz/box.h"
#include "viz/frame.h"

namespace tilewalk::viz {

// "m′ = max(m, m^{(t)})", "α = e^{m − m′}", "x_{j}". A letter that stands alone has the colour of its tensor
// or tile; [m:4.174] writes 4.174 in the colour of m. Parts do not nest but for colours.
float formula_width(const Frame& frame, std::string_view formula, const ImFont* font);
// In the middle of the box's height, from its left. What does not fit is left out from the right, and shown
// whole in a tooltip.
void draw_formula(const Frame& frame, const Box& box, std::string_view formula, const ImFont* font,
                  Colour colour);

}  // namespace tilewalk::viz
