// The keys, over everything else; made from the table that also carries them out.
#include <cmath>

#include "viz/keys.h"
#include "viz/views.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

void draw_row(const Frame& frame, const KeyRow& row, Box box) {
  Box key = box.cut_left(frame.px(92)).inset(0, std::round(frame.px(2)));
  key.max.x =
      key.min.x + std::min(key.width(), std::ceil(text_width(row.shown, frame.fonts.small)) + frame.px(16));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(key.min, key.max, frame.theme.inset, frame.px(5));
  list->AddRect(key.min, key.max, frame.theme.line, frame.px(5));
  draw_text(frame, key, row.shown, frame.theme.strong, frame.fonts.small, Align::centre);
  draw_text(frame, box, frame.text(row.text), frame.theme.text, frame.fonts.body);
}

void draw_table(const Frame& frame) {
  std::vector<const KeyRow*> table;
  for (const KeyRow& row : key_table()) {
    if (!row.shown.empty()) table.push_back(&row);
  }
  const float height = std::round(frame.px(27));
  const std::size_t columns = ImGui::GetContentRegionAvail().x >= frame.px(600) ? 2 : 1;
  const std::size_t lines = (table.size() + columns - 1) / columns;
  Box rest = content_box(frame, 200, height / frame.px(1) * float(lines));
  const float width = std::floor(rest.width() / float(columns));
  for (std::size_t n = 0; n < table.size(); n += lines) {
    Box column = rest.cut_left(width);
    for (std::size_t line = n; line < std::min(n + lines, table.size()); ++line)
      draw_row(frame, *table[line], column.cut_top(height));
  }
}

}  // namespace

void draw_keys(const Frame& frame, Commands& commands) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const ImVec2 size{std::round(std::min(frame.px(760), screen.x * 0.94f)),
                    std::round(std::min(frame.px(660), screen.y * 0.94f))};
  ImGui::SetNextWindowPos({std::round((screen.x - size.x) / 2), std::round((screen.y - size.y) / 2)});
  ImGui::SetNextWindowSize(size);
  ImGui::SetNextWindowFocus();
  ImGui::Begin("keys", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground);
  const ImVec2 at = ImGui::GetWindowPos();
  const Box all{at, {at.x + size.x, at.y + size.y}};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(all.min, all.max, frame.theme.panel, frame.px(12));
  list->AddRect(all.min, all.max, frame.theme.line, frame.px(12));
  Box inside = all.inset(std::round(frame.px(22)), std::round(frame.px(16)));
  Box heading = inside.cut_top(std::round(frame.px(32)));
  if (text_button(frame, heading.cut_right(heading.height()), "close", "×"))
    commands.push_back(CloseOverlay{});
  draw_text(frame, heading, frame.text(Str::keys_title), frame.theme.strong, frame.fonts.heading);
  inside.cut_top(std::round(frame.px(8)));
  ImGui::SetCursorScreenPos(inside.min);
  ImGui::BeginChild("table", inside.size());
  draw_table(frame);
  ImGui::EndChild();
  ImGui::End();
}

}  // namespace tilewalk::viz
