// Marks that views share: dashed frames, arrows along curves, pills.
#pragma once

#include <string_view>

#include "viz/box.h"
#include "viz/frame.h"

namespace tilewalk::viz {

void dashed_line(ImVec2 from, ImVec2 to, Colour colour, float dash, float thickness = 1);
void dashed_frame(const Box& box, Colour colour, float dash, float thickness = 1);

// A cubic Bézier curve.
struct Curve {
  ImVec2 from, lean_from, lean_to, to;
  ImVec2 at(float t) const;
};

// Leaves `from` and reaches `to` upright.
Curve upright_curve(ImVec2 from, ImVec2 to);
// With a head at its end.
void draw_arrow(const Curve& curve, Colour colour, float thickness);

// A filled label with round ends, as wide as its text; `centre` moves so that it stays inside `within`.
// Returns its box.
Box draw_pill(const Frame& frame, ImVec2 centre, const Box& within, std::string_view text, Colour colour);

// The mouse is over the box, in the current window, and nothing is dragged.
bool hovered(const Box& box);

// Of several ways to say it, the first that fits; the last one when none does.
std::string_view first_that_fits(std::initializer_list<std::string_view> ways, float width,
                                 const ImFont* font);

}  // namespace tilewalk::viz
