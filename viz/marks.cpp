#include "viz/marks.h"

#include <cmath>

#include "viz/text.h"

namespace tilewalk::viz {
void dashed_line(ImVec2 from, ImVec2 to, Colour colour, float dash, float thickness) {
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::sqrt(dx * dx + dy * dy);
  for (float at = 0; at < length; at += 2 * dash) {
    const float a = at / length, b = std::min(at + dash, length) / length;
    ImGui::GetWindowDrawList()->AddLine({from.x + dx * a, from.y + dy * a},
                                        {from.x + dx * b, from.y + dy * b}, colour, thickness);
  }
}

void dashed_frame(const Box& box, Colour colour, float dash, float thickness) {
  const ImVec2 a = box.min, b{box.max.x, box.min.y}, c = box.max, d{box.min.x, box.max.y};
  dashed_line(a, b, colour, dash, thickness);
  dashed_line(b, c, colour, dash, thickness);
  dashed_line(c, d, colour, dash, thickness);
  dashed_line(d, a, colour, dash, thickness);
}

ImVec2 Curve::at(float t) const {
  const float s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
  return {a * from.x + b * lean_from.x + c * lean_to.x + d * to.x,
          a * from.y + b * lean_from.y + c * lean_to.y + d * to.y};
}

Curve upright_curve(ImVec2 from, ImVec2 to) {
  const float middle = (from.y + to.y) / 2;
  return {from, {from.x, middle}, {to.x, middle}, to};
}

void draw_arrow(const Curve& curve, Colour colour, float thickness) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float direction = curve.to.y < curve.from.y ? -1.0f : 1.0f, size = thickness * 3;
  const ImVec2 neck{curve.to.x, curve.to.y - direction * size};
  list->AddBezierCubic(curve.from, curve.lean_from, curve.lean_to, neck, colour, thickness, 32);
  const ImVec2 left{neck.x - size * 0.7f, neck.y}, right{neck.x + size * 0.7f, neck.y};
  list->AddTriangleFilled(curve.to, direction < 0 ? right : left, direction < 0 ? left : right, colour);
}

Box draw_pill(const Frame& frame, ImVec2 centre, const Box& within, std::string_view text, Colour colour) {
  const ImFont* font = frame.fonts.mono_small;
  const float width = std::ceil(text_width(text, font)) + frame.px(14), height = std::round(frame.px(18));
  const float left = std::max(within.min.x, std::min(centre.x - width / 2, within.max.x - width));
  const float top = centre.y - height / 2;
  const Box pill{{std::floor(left), std::floor(top)}, {std::floor(left) + width, std::floor(top) + height}};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(pill.min, pill.max, colour, height / 3);
  list->AddRect(pill.min, pill.max, frame.theme.panel, height / 3);
  draw_text(frame, pill, text, frame.theme.panel, font, Align::centre);
  return pill;
}

bool hovered(const Box& box) {
  return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(box.min, box.max);
}

std::string_view first_that_fits(std::initializer_list<std::string_view> ways, float width,
                                 const ImFont* font) {
  for (const std::string_view way : ways) {
    if (text_width(way, font) <= width) return way;
  }
  return ways.size() == 0 ? std::string_view() : *(ways.end() - 1);
}

}  // namespace tilewalk::viz
