// What if? Every choice about the runs, changed in place; the runs are made anew at once. What cannot be run
// says why, with the remedy, and leaves the runs as they were.
#include <cmath>

#include "viz/platform.h"
#include "viz/section.h"
#include "viz/views.h"
#include "viz/what_if.h"

namespace tilewalk::viz {
namespace {

constexpr float line = 32, gap = 8;

// Values that are words have words in both languages.
std::string shown(const Frame& frame, const WhatIfField& field, const std::string& value) {
  constexpr std::pair<std::string_view, Str> words[] = {{"none", Str::value_none},
                                                        {"fit", Str::value_fit},
                                                        {"random", Str::value_random},
                                                        {"files", Str::value_files}};
  for (const auto& [word, str] : words) {
    if (word == value) return std::string(frame.text(str));
  }
  if (field.label == Str::field_sram) return grouped(std::stoull(value)) + "\u00A0B";
  return value;
}

// The values below one another, and a line to type another one into.
void draw_choices(const Frame& frame, const WhatIfField& field, Commands& commands) {
  const auto take = [&](std::string_view words) {
    auto changed = with_value(frame.asked, field, words);
    if (!changed.empty()) commands.push_back(OpenRuns{std::move(changed)});
    ImGui::CloseCurrentPopup();
  };
  if (field.typed) {
    std::array<char, 64> words{};
    ImGui::SetNextItemWidth(frame.px(170));
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    if (ImGui::InputTextWithHint("##typed", frame.text(Str::type_a_value).data(), words.data(), words.size(),
                                 ImGuiInputTextFlags_EnterReturnsTrue))
      take(words.data());
  }
  const std::string now = field.value(frame.asked.front());
  for (const std::string& choice : field.choices(frame.asked.front())) {
    if (ImGui::Selectable(shown(frame, field, choice).c_str(), choice == now)) take(choice);
  }
}

void draw_field(const Frame& frame, std::size_t n, Box row, Commands& commands) {
  const WhatIfField& field = what_if_fields()[n];
  const RunRequest& request = frame.asked.front();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool selected = frame.selection.field == n, fixed = field.choices(request).empty();
  if (selected) list->AddRectFilled(row.min, row.max, with_alpha(frame.theme.selection, 0.18f), frame.px(6));
  row = row.inset(frame.px(4), frame.px(2));
  const float arrow = std::round(row.height() * 0.9f);
  Box right = row.cut_right(std::floor(row.width() * 0.6f));
  draw_text(frame, row, frame.text(field.label), frame.theme.text, frame.fonts.body);
  ImGui::PushID(static_cast<int>(n));
  const std::string value = shown(frame, field, field.value(request));
  if (fixed) {
    draw_text(frame, right, value, frame.theme.muted, frame.fonts.body, Align::centre);
  } else {
    if (text_button(frame, right.cut_left(arrow), "less", "‹"))
      commands.insert(commands.end(), {Command(SelectField{n}), Command(ChangeField{-1})});
    if (text_button(frame, right.cut_right(arrow), "more", "›"))
      commands.insert(commands.end(), {Command(SelectField{n}), Command(ChangeField{1})});
    if (text_button(frame, right.inset(frame.px(3), 0), "value", value)) ImGui::OpenPopup("choices");
    if (ImGui::IsItemHovered()) tooltip(frame, frame.text(field.hint));
  }
  if (ImGui::BeginPopup("choices")) {
    draw_choices(frame, field, commands);
    ImGui::EndPopup();
  }
  ImGui::PopID();
}

// A button for each algorithm; those that run are on. On as many lines as it takes; returns the height.
float draw_algorithms(const Frame& frame, Box box, bool really, Commands& commands) {
  const float high = std::round(frame.px(28)), step = high + std::round(frame.px(6));
  Box row = box.cut_top(high);
  float used = step;
  for (const auto name : algorithm_names()) {
    const float width = button_width(frame, name);
    if (width > row.width() && row.min.x > box.min.x) {
      box.cut_top(step - high);
      row = box.cut_top(high);
      used += step;
    }
    const Box place = row.cut_left(width);
    row.cut_left(frame.px(6));
    if (!really) continue;
    bool on = false;
    for (const RunRequest& r : frame.asked) on = on || r.algorithm == name;
    if (text_button(frame, place, name.data(), name, on)) {
      auto changed = with_algorithm(frame.asked, name);
      if (!changed.empty()) commands.push_back(OpenRuns{std::move(changed)});
    }
    if (ImGui::IsItemHovered()) tooltip(frame, algorithm_named(name).title);
  }
  return used;
}

float refusal_height(const Frame& frame, float width) {
  if (frame.refused.empty()) return 0;
  const auto lines = wrapped(frame.refused, width - 2 * std::round(frame.px(10)), frame.fonts.small).size();
  return float(lines) * std::round(line_height(frame.fonts.small) * 1.4f) + frame.px(2 * line + 3 * gap + 30);
}

void draw_refusal(const Frame& frame, Box box, Commands& commands) {
  if (frame.refused.empty()) return;
  box.cut_bottom(frame.px(gap));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.min, box.max, with_alpha(frame.theme.bad, 0.10f), frame.px(6));
  list->AddRect(box.min, box.max, frame.theme.bad, frame.px(6));
  Box inside = box.inset(std::round(frame.px(10)), std::round(frame.px(8)));
  draw_text(frame, inside.cut_top(std::round(frame.px(24))), frame.text(Str::does_not_run), frame.theme.bad,
            frame.fonts.body);
  Box buttons = inside.cut_bottom(std::round(frame.px(2 * line)));
  draw_wrapped(inside, frame.refused, frame.theme.text, frame.fonts.small);
  const float high = std::round(frame.px(line - 4));
  if (text_button(frame, buttons.cut_top(high), "fit", frame.text(Str::choose_what_fits))) {
    std::vector<RunRequest> fitting(frame.asked.begin(), frame.asked.end());
    for (RunRequest& r : fitting) r.tiling.block_q = r.tiling.block_kv = 0, r.tiling.mode = TilingMode::fit;
    commands.push_back(OpenRuns{std::move(fitting)});
  }
  buttons.cut_top(frame.px(4));
  if (text_button(frame, buttons.cut_top(high), "keep", frame.text(Str::keep_what_runs)))
    commands.push_back(KeepRuns{});
}

void draw_loading(const Frame& frame, const Box& row) {
  if (frame.loading < 0) return;
  const Box bar = row.inset(0, std::round(row.height() * 0.35f));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(bar.min, bar.max, frame.theme.inset, frame.px(3));
  list->AddRectFilled(bar.min, {bar.min.x + bar.width() * float(frame.loading), bar.max.y},
                      frame.theme.selection, frame.px(3));
}

}  // namespace

void draw_what_if(const Frame& frame, Commands& commands) {
  if (frame.asked.empty()) return;
  const auto fields = what_if_fields();
  const float width = std::max(ImGui::GetContentRegionAvail().x, frame.px(220));
  const float algorithms = draw_algorithms(frame, {{0, 0}, {width, 1e6f}}, false, commands);
  const float refusal = refusal_height(frame, width);
  const float height = 24 + (algorithms + refusal) / frame.px(1) + 2 * gap + 12 +
                       float(fields.size() - 1) * line + 2 * gap + line;
  Box rest = content_box(frame, 220, height);
  draw_text(frame, rest.cut_top(std::round(frame.px(24))), frame.text(Str::up_to_three), frame.theme.muted,
            frame.fonts.small);
  draw_algorithms(frame, rest.cut_top(algorithms), true, commands);
  rest.cut_top(frame.px(gap));
  draw_refusal(frame, rest.cut_top(refusal), commands);
  draw_loading(frame, rest.cut_top(frame.px(12)));
  for (std::size_t n = 1; n < fields.size(); ++n)
    draw_field(frame, n, rest.cut_top(std::round(frame.px(line))), commands);
  rest.cut_top(frame.px(gap));
  if (text_button(frame, rest.cut_top(std::round(frame.px(line))), "copy",
                  frame.text(in_page ? Str::copy_link : Str::copy_call)))
    commands.push_back(CopyCall{});
}

}  // namespace tilewalk::viz
