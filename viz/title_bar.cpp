// Across the top: what runs, and how it is shown.
#include <cmath>

#include "viz/views.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

Str theme_title(ThemeName name) {
  constexpr Str titles[] = {Str::theme_dark, Str::theme_light, Str::theme_contrast};
  return titles[static_cast<std::size_t>(name)];
}

struct Button {
  const char* id;
  std::string label;
  bool on;
  Command command;
  int rank;  // those of a high rank go first when room is short
};

std::vector<Button> buttons(const Frame& frame) {
  const Settings& s = frame.settings;
  const bool zh = s.language == Language::zh;
  return {
      {"keys", "?", frame.keys_shown, ToggleKeys{}, 0},
      {"projector", std::string(frame.text(Str::projector)), s.projector, ToggleProjector{}, 3},
      {"theme", std::string(frame.text(theme_title(s.theme))), false, NextTheme{}, 4},
      {"larger", "A+", false, ChangeScale{1}, 2},
      {"scale", frame.filled(Str::scale_percent, int(std::round(s.scale * 100))), false, ChangeScale{0}, 5},
      {"smaller", "A−", false, ChangeScale{-1}, 2},
      {"zh", "中文", zh, SetLanguage{Language::zh}, 1},
      {"en", "EN", !zh, SetLanguage{Language::en}, 1}};
}

// Ranks up to this one have room.
int last_rank(const Frame& frame, const std::vector<Button>& all, float room) {
  for (int last = 5; last > 0; --last) {
    float width = 0;
    for (const Button& button : all)
      width += button.rank <= last ? button_width(frame, button.label) + frame.px(8) : 0;
    if (width <= room) return last;
  }
  return 0;
}

std::string run_titles(const Frame& frame) {
  std::string text;
  for (const RunFrame& run : frame.runs) {
    if (!text.empty()) text += "   |   ";
    text += title_of(run.facts);
  }
  return text;
}

}  // namespace

void draw_title_bar(const Frame& frame, const Box& box, Commands& commands) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.min, box.max, frame.theme.bar);
  list->AddLine({box.min.x, box.max.y - 0.5f}, {box.max.x, box.max.y - 0.5f}, frame.theme.line);
  Box rest = box.inset(std::round(frame.px(16)), std::round(box.height() * 0.18f));
  const float name = std::ceil(text_width(frame.text(Str::app), frame.fonts.heading));
  draw_text(frame, rest.cut_left(name), frame.text(Str::app), frame.theme.strong, frame.fonts.heading);
  rest.cut_left(frame.px(20));
  const auto all = buttons(frame);
  const int last = last_rank(frame, all, rest.width() * 0.6f);
  for (const Button& button : all) {
    if (button.rank > last) continue;
    if (text_button(frame, rest.cut_right(button_width(frame, button.label)), button.id, button.label,
                    button.on))
      commands.push_back(button.command);
    rest.cut_right(frame.px(8));
  }
  rest.cut_right(frame.px(8));
  draw_text(frame, rest, run_titles(frame), frame.theme.muted, frame.fonts.body);
}

}  // namespace tilewalk::viz
