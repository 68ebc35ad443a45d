#include "viz/widgets.h"

#include <cmath>

namespace tilewalk::viz {
namespace {

// Dear ImGui's own colours, so that hovering looks the same everywhere.
Colour face(const Frame& frame, bool on) {
  const bool pressed = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  if (on) return hovered ? mixed(frame.theme.selection, frame.theme.strong, 0.15f) : frame.theme.selection;
  return ImGui::GetColorU32(pressed   ? ImGuiCol_ButtonActive
                            : hovered ? ImGuiCol_ButtonHovered
                                      : ImGuiCol_Button);
}

void draw_face(const Frame& frame, const Box& box, bool on) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float rounding = frame.px(6);
  list->AddRectFilled(box.min, box.max, face(frame, on), rounding);
  if (!on) list->AddRect(box.min, box.max, frame.theme.line, rounding);
}

void draw_triangle(ImVec2 centre, float size, float direction, Colour colour) {
  const ImVec2 tip{centre.x + direction * size * 0.9f, centre.y};
  const float back = centre.x - direction * size * 0.6f;
  const ImVec2 above{back, centre.y - size}, below{back, centre.y + size};
  if (direction > 0) {
    ImGui::GetWindowDrawList()->AddTriangleFilled(above, tip, below, colour);
  } else {
    ImGui::GetWindowDrawList()->AddTriangleFilled(below, tip, above, colour);
  }
}

void draw_bar(ImVec2 centre, float offset, float size, Colour colour) {
  const float half = std::max(1.0f, size * 0.18f);
  ImGui::GetWindowDrawList()->AddRectFilled({centre.x + offset - half, centre.y - size},
                                            {centre.x + offset + half, centre.y + size}, colour);
}

void draw_icon(ImVec2 c, float size, Icon icon, Colour colour) {
  switch (icon) {
    case Icon::start:
      draw_bar(c, -size, size, colour);
      draw_triangle({c.x + size * 0.3f, c.y}, size, -1, colour);
      return;
    case Icon::back: draw_triangle(c, size, -1, colour); return;
    case Icon::play: draw_triangle(c, size * 1.15f, 1, colour); return;
    case Icon::pause:
      draw_bar(c, -size * 0.45f, size, colour);
      draw_bar(c, size * 0.45f, size, colour);
      return;
    case Icon::forward: draw_triangle(c, size, 1, colour); return;
    case Icon::end:
      draw_triangle({c.x - size * 0.3f, c.y}, size, 1, colour);
      draw_bar(c, size, size, colour);
      return;
  }
}

Colour origin_colour(const Theme& theme, Origin origin) {
  switch (origin) {
    case Origin::theory: return theme.warning;
    case Origin::model: return mixed(theme.selection, theme.text, 0.35f);
    case Origin::measured: return theme.good;
    case Origin::published: return theme.muted;
  }
  return theme.text;
}

}  // namespace

bool clicked(const char* id, const Box& box) {
  if (box.empty()) return false;
  ImGui::SetCursorScreenPos(box.min);
  return ImGui::InvisibleButton(id, box.size());
}

bool text_button(const Frame& frame, const Box& box, const char* id, std::string_view label, bool on) {
  const bool pressed = clicked(id, box);
  draw_face(frame, box, on);
  draw_text(frame, box.inset(frame.px(5), 0), label, on ? frame.theme.on_selection : frame.theme.text,
            frame.fonts.body, Align::centre);
  return pressed;
}

bool icon_button(const Frame& frame, const Box& box, const char* id, Icon icon, std::string_view hint,
                 bool on) {
  const bool pressed = clicked(id, box);
  draw_face(frame, box, on);
  draw_icon(box.centre(), std::round(box.height() * 0.17f), icon,
            on ? frame.theme.on_selection : frame.theme.text);
  if (ImGui::IsItemHovered()) tooltip(frame, hint);
  return pressed;
}

float button_width(const Frame& frame, std::string_view label) {
  return std::ceil(text_width(label, frame.fonts.body)) + frame.px(22);
}

Box origin_badge(const Frame& frame, Box box, Origin origin) {
  constexpr Str names[] = {Str::origin_theory, Str::origin_model, Str::origin_measured,
                           Str::origin_published};
  const std::string_view name = frame.text(names[static_cast<std::size_t>(origin)]);
  const float width = std::ceil(text_width(name, frame.fonts.small)) + frame.px(16);
  if (width > box.width()) return box;
  const float spare = std::max(0.0f, box.height() - frame.px(20));
  const Box pill = box.cut_right(width).inset(0, std::floor(spare / 2));
  const Colour colour = origin_colour(frame.theme, origin);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(pill.min, pill.max, with_alpha(colour, 0.12f), pill.height() / 2);
  list->AddRect(pill.min, pill.max, with_alpha(colour, 0.8f), pill.height() / 2);
  draw_text(frame, pill, name, colour, frame.fonts.small, Align::centre);
  box.cut_right(frame.px(8));
  return box;
}

void labelled_number(const Frame& frame, const Box& box, std::string_view label, std::string_view number,
                     std::string_view unit, Colour colour) {
  Box rest = box;
  const std::string value =
      unit.empty() ? std::string(number) : std::string(number) + "\u00A0" + std::string(unit);
  const Box right = rest.cut_right(std::ceil(text_width(value, frame.fonts.mono)));
  draw_text(frame, right, value, frame.theme.strong, frame.fonts.mono, Align::right);
  rest.cut_right(frame.px(8));
  draw_text(frame, rest, label, colour, frame.fonts.body);
}

Box content_box(const Frame& frame, float least_width, float least_height) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const ImVec2 size{std::max(room.x, frame.px(least_width)), std::max(room.y, frame.px(least_height))};
  ImGui::Dummy(size);
  return {at, {at.x + size.x, at.y + size.y}};
}

void hatch(const Box& box, Colour colour, float distance, float thickness) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float w = box.width(), h = box.height();
  for (float d = distance; d < w + h; d += distance) {
    const ImVec2 from{box.min.x + std::max(0.0f, d - h), box.min.y + std::min(d, h)};
    const ImVec2 to{box.min.x + std::min(d, w), box.min.y + std::max(0.0f, d - w)};
    list->AddLine(from, to, colour, thickness);
  }
}

}  // namespace tilewalk::viz
