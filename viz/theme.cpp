#include "viz/theme.h"

#include <imgui.h>

namespace tilewalk::viz {
namespace {

// The tensors' colours keep 11 apart (CIEDE2000) as seen with normal sight and with simulated protanopia,
// deuteranopia and tritanopia; a test holds them to 10.
constexpr Theme themes[] = {{.name = ThemeName::dark,
                             .background = rgb(0x0B0F14),
                             .bar = rgb(0x151B23),
                             .panel = rgb(0x11161D),
                             .inset = rgb(0x18202A),
                             .line = rgb(0x2B3949),
                             .text = rgb(0xC9D1D9),
                             .muted = rgb(0x919DAA),
                             .strong = rgb(0xF5F8FC),
                             .selection = rgb(0x1F6FEB),
                             .on_selection = rgb(0xFFFFFF),
                             .done = rgb(0x2A64AC),
                             .to_come = rgb(0x28323D),
                             .masked = rgb(0x141A22),
                             .current = rgb(0xFFFFFF),
                             .path = rgb(0xFFD166),
                             .good = rgb(0x7EE2B8),
                             .bad = rgb(0xFF6B6B),
                             .warning = rgb(0xFFD166),
                             .tensor = {rgb(0x099EFE), rgb(0xE6A000), rgb(0x26CE97), rgb(0xDF6C48),
                                        rgb(0xB973BB), rgb(0x9CA4AF), rgb(0xFFD56F)}},
                            {.name = ThemeName::light,
                             .background = rgb(0xE9EDF2),
                             .bar = rgb(0xFFFFFF),
                             .panel = rgb(0xFFFFFF),
                             .inset = rgb(0xF3F6F9),
                             .line = rgb(0xC5CED8),
                             .text = rgb(0x24303C),
                             .muted = rgb(0x556270),
                             .strong = rgb(0x0B1218),
                             .selection = rgb(0x1759C4),
                             .on_selection = rgb(0xFFFFFF),
                             .done = rgb(0x6FA3E0),
                             .to_come = rgb(0xDDE4EB),
                             .masked = rgb(0xF8FAFC),
                             .current = rgb(0x0B1218),
                             .path = rgb(0xB85C00),
                             .good = rgb(0x0B6B43),
                             .bad = rgb(0xB3261E),
                             .warning = rgb(0x8A5A00),
                             .tensor = {rgb(0x0178D3), rgb(0xA16C00), rgb(0x03805A), rgb(0xCC4057),
                                        rgb(0x994093), rgb(0x5E626C), rgb(0x695303)}},
                            {.name = ThemeName::contrast,
                             .background = rgb(0x000000),
                             .bar = rgb(0x000000),
                             .panel = rgb(0x000000),
                             .inset = rgb(0x101010),
                             .line = rgb(0x9A9A9A),
                             .text = rgb(0xFFFFFF),
                             .muted = rgb(0xD0D0D0),
                             .strong = rgb(0xFFFFFF),
                             .selection = rgb(0xFFE100),
                             .on_selection = rgb(0x000000),
                             .done = rgb(0x3B8BFF),
                             .to_come = rgb(0x3A3A3A),
                             .masked = rgb(0x000000),
                             .current = rgb(0xFFFFFF),
                             .path = rgb(0xFFE100),
                             .good = rgb(0x5CFFB1),
                             .bad = rgb(0xFF7A7A),
                             .warning = rgb(0xFFE100),
                             .tensor = {rgb(0x49C0FE), rgb(0xFFAC08), rgb(0x13F8AC), rgb(0xF6693E),
                                        rgb(0xFF72CE), rgb(0xC8C8C8), rgb(0xFFF66E)}}};

void set(ImGuiCol which, Colour colour) {
  ImGui::GetStyle().Colors[which] = ImGui::ColorConvertU32ToFloat4(colour);
}

void set_colours(const Theme& t) {
  const Colour none = with_alpha(t.panel, 0), raised = mixed(t.inset, t.text, 0.08f);
  set(ImGuiCol_Text, t.text);
  set(ImGuiCol_TextDisabled, t.muted);
  set(ImGuiCol_WindowBg, t.background);
  set(ImGuiCol_ChildBg, none);
  set(ImGuiCol_PopupBg, t.panel);
  set(ImGuiCol_Border, t.line);
  set(ImGuiCol_FrameBg, t.inset);
  set(ImGuiCol_FrameBgHovered, raised);
  set(ImGuiCol_FrameBgActive, raised);
  set(ImGuiCol_Button, t.inset);
  set(ImGuiCol_ButtonHovered, raised);
  set(ImGuiCol_ButtonActive, mixed(raised, t.selection, 0.4f));
  set(ImGuiCol_Header, with_alpha(t.selection, 0.35f));
  set(ImGuiCol_HeaderHovered, with_alpha(t.selection, 0.5f));
  set(ImGuiCol_HeaderActive, with_alpha(t.selection, 0.6f));
  set(ImGuiCol_ScrollbarBg, none);
  set(ImGuiCol_ScrollbarGrab, t.line);
  set(ImGuiCol_ScrollbarGrabHovered, t.muted);
  set(ImGuiCol_ScrollbarGrabActive, t.muted);
  set(ImGuiCol_CheckMark, t.selection);
  set(ImGuiCol_SliderGrab, t.selection);
  set(ImGuiCol_SliderGrabActive, t.selection);
  set(ImGuiCol_Separator, t.line);
  set(ImGuiCol_NavHighlight, t.selection);
}

}  // namespace

const Theme& theme_of(ThemeName name) { return themes[static_cast<std::size_t>(name)]; }

Colour tensor_colour(const Theme& theme, std::string_view name) {
  const TensorColours& c = theme.tensor;
  if (name == "Q" || name == "q") return c.q;
  if (name == "K" || name == "k") return c.k;
  if (name == "V" || name == "v") return c.v;
  if (name == "S" || name == "s" || name == "P" || name == "p") return c.p;
  if (name == "O" || name == "o") return c.o;
  if (name.starts_with("m")) return c.m;
  if (name.starts_with("l") || name == "L" || name == "alpha" || name == "beta") return c.l;
  return theme.text;
}

void apply_style(const Theme& theme, float pixels) {
  ImGuiStyle style;
  style.WindowPadding = {0, 0};
  style.WindowBorderSize = 0;
  style.FrameRounding = 6;
  style.FrameBorderSize = 1;
  style.FramePadding = {9, 5};
  style.ItemSpacing = {8, 6};
  style.ItemInnerSpacing = {6, 4};
  style.PopupRounding = 8;
  style.PopupBorderSize = 1;
  style.ScrollbarSize = 10;
  style.ScrollbarRounding = 5;
  style.GrabRounding = 4;
  style.ScaleAllSizes(pixels);
  style.WindowMinSize = {1, 1};  // below scale 1 it would round to 0, which Dear ImGui refuses
  style.FrameBorderSize = style.PopupBorderSize = 1;
  style.CircleTessellationMaxError = 0.2f;
  ImGui::GetStyle() = style;
  set_colours(theme);
}

}  // namespace tilewalk::viz
