#include "viz/page_keys.h"

#include <imgui.h>

#include <algorithm>
#include <set>

#include "viz/fonts.h"

namespace tilewalk::viz {
namespace {

struct NamedKey {
  std::string_view name;
  std::optional<Key> key;
  ImGuiKey field;  // what Dear ImGui calls it; ImGuiKey_COUNT: its fields do not know it
};

constexpr NamedKey named[] = {
    {" ", Key::space, ImGuiKey_Space},
    {"ArrowLeft", Key::left, ImGuiKey_LeftArrow},
    {"ArrowRight", Key::right, ImGuiKey_RightArrow},
    {"ArrowUp", Key::up, ImGuiKey_UpArrow},
    {"ArrowDown", Key::down, ImGuiKey_DownArrow},
    {"Home", Key::home, ImGuiKey_Home},
    {"End", Key::end, ImGuiKey_End},
    {"Escape", Key::escape, ImGuiKey_Escape},
    {"PageUp", Key::page_up, ImGuiKey_PageUp},
    {"PageDown", Key::page_down, ImGuiKey_PageDown},
    {"Tab", Key::tab, ImGuiKey_Tab},
    {"F1", Key::question, ImGuiKey_COUNT},
    {"F2", Key::f2, ImGuiKey_COUNT},
    {"F3", Key::f3, ImGuiKey_COUNT},
    {"+", Key::plus, ImGuiKey_COUNT},
    {"=", Key::plus, ImGuiKey_COUNT},
    {"-", Key::minus, ImGuiKey_COUNT},
    {"0", Key::digit0, ImGuiKey_COUNT},
    {"1", Key::digit1, ImGuiKey_COUNT},
    {"2", Key::digit2, ImGuiKey_COUNT},
    {"3", Key::digit3, ImGuiKey_COUNT},
    {"4", Key::digit4, ImGuiKey_COUNT},
    {"c", Key::c, ImGuiKey_C},
    {"Backspace", std::nullopt, ImGuiKey_Backspace},
    {"Delete", std::nullopt, ImGuiKey_Delete},
    {"Enter", std::nullopt, ImGuiKey_Enter},
    {"a", std::nullopt, ImGuiKey_A},
    {"v", std::nullopt, ImGuiKey_V},
    {"x", std::nullopt, ImGuiKey_X},
    {"y", std::nullopt, ImGuiKey_Y},
    {"z", std::nullopt, ImGuiKey_Z},
};

}  // namespace

std::optional<KeyPress> key_press(std::string_view name, bool ctrl, bool shift) {
  for (const NamedKey& row : named) {
    if (row.name != name || !row.key || (needs_ctrl(*row.key) && !ctrl)) continue;
    // Shift only tells Tab from Shift Tab: Ctrl + is Ctrl Shift = on many keyboards.
    return KeyPress{*row.key, ctrl, shift && *row.key == Key::tab};
  }
  if (ctrl || name.empty()) return std::nullopt;
  const char32_t character = take_character(name);
  if (!name.empty()) return std::nullopt;
  if (const auto key = key_of_character(character)) return KeyPress{*key};
  return std::nullopt;
}

FieldKeys::FieldKeys() {
  ImGuiIO& io = ImGui::GetIO();
  for (int n = 0; n < int(std::size(named)); ++n) {
    if (named[n].field != ImGuiKey_COUNT) io.KeyMap[named[n].field] = n;
  }
}

bool FieldKeys::stroke(std::string_view name, bool down, bool ctrl, bool shift, bool alt) {
  const auto row = std::find_if(std::begin(named), std::end(named), [&](const NamedKey& k) {
    return k.name == name && k.field != ImGuiKey_COUNT;
  });
  const bool known = row != std::end(named);
  strokes_.push_back({known ? int(row - std::begin(named)) : -1, down, ctrl, shift, alt});
  return known;
}

void FieldKeys::release_all() {
  strokes_.clear();
  ImGuiIO& io = ImGui::GetIO();
  std::fill(std::begin(io.KeysDown), std::end(io.KeysDown), false);
  io.KeyCtrl = io.KeyShift = io.KeyAlt = false;
}

void FieldKeys::take() {
  ImGuiIO& io = ImGui::GetIO();
  std::set<int> changed;
  for (; !strokes_.empty(); strokes_.pop_front()) {
    const Stroke& s = strokes_.front();
    const bool other_modifiers = s.ctrl != io.KeyCtrl || s.shift != io.KeyShift || s.alt != io.KeyAlt;
    if (changed.count(s.key) || (other_modifiers && !changed.empty())) return;
    io.KeyCtrl = s.ctrl, io.KeyShift = s.shift, io.KeyAlt = s.alt;
    if (s.key < 0) continue;
    io.KeysDown[s.key] = s.down;
    changed.insert(s.key);
  }
}

}  // namespace tilewalk::viz
