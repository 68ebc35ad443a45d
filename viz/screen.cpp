#include "viz/screen.h"

#include <cmath>

#include "viz/layout.h"
#include "viz/lesson_book.h"
#include "viz/text.h"
#include "viz/views.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

constexpr ImGuiWindowFlags plain = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                                   ImGuiWindowFlags_NoNav;

// Tabs of all views, when they fit; returns whether they did.
bool draw_tabs(const Frame& frame, Box box, const Panel& panel, ViewId now, Commands& commands) {
  float width = 0;
  for (const ViewId id : panel.views)
    width += text_width(frame.text(view_of(id).title), frame.fonts.body) + frame.px(18);
  if (width > box.width()) return false;
  for (const ViewId id : panel.views) {
    const std::string_view title = frame.text(view_of(id).title);
    const Box tab = box.cut_left(text_width(title, frame.fonts.body) + frame.px(18));
    const bool on = id == now;
    if (clicked(view_of(id).name.data(), tab)) commands.push_back(RaiseView{id});
    const bool hovered = ImGui::IsItemHovered();
    draw_text(frame, tab.inset(0, frame.px(2)), title, on || hovered ? frame.theme.strong : frame.theme.muted,
              frame.fonts.body);
    if (on) {
      const float w = text_width(title, frame.fonts.body);
      ImGui::GetWindowDrawList()->AddRectFilled({tab.min.x, tab.max.y - frame.px(2.5f)},
                                                {tab.min.x + w, tab.max.y}, frame.theme.selection);
    }
  }
  return true;
}

// "‹ Traversal 1/8 ›" where the tabs do not fit.
void draw_pager(const Frame& frame, Box box, const Panel& panel, ViewId now, Commands& commands) {
  const auto count = panel.views.size();
  std::size_t at = 0;
  while (panel.views[at] != now) ++at;
  const Box left = box.cut_left(box.height());
  if (text_button(frame, left, "previous", "‹"))
    commands.push_back(RaiseView{panel.views[(at + count - 1) % count]});
  const Box right = box.cut_right(box.height());
  if (text_button(frame, right, "next", "›")) commands.push_back(RaiseView{panel.views[(at + 1) % count]});
  const std::string title = fmt::format("{}  {}/{}", frame.text(view_of(now).title), at + 1, count);
  draw_text(frame, box.inset(frame.px(8), 0), title, frame.theme.strong, frame.fonts.body);
}

void draw_heading(const Frame& frame, Box box, const Panel& panel, ViewId now, Commands& commands) {
  const ViewRow& view = view_of(now);
  const std::string about = view.about ? view.about(frame) : "";
  if (!about.empty()) {
    const float wanted = std::ceil(text_width(about, frame.fonts.small)) + 1;
    const float most = panel.views.size() > 1 ? box.width() * 0.3f : box.width() * 0.6f;
    draw_text(frame, box.cut_right(std::min(wanted, most)), about, frame.theme.muted, frame.fonts.small,
              Align::right);
    box.cut_right(frame.px(8));
  }
  if (panel.views.size() == 1) {
    draw_text(frame, box, frame.text(view.title), frame.theme.muted, frame.fonts.body);
  } else if (!draw_tabs(frame, box, panel, now, commands)) {
    draw_pager(frame, box, panel, now, commands);
  }
}

void draw_content(const Frame& frame, const Box& box, const ViewRow& view, Commands& commands) {
  if (box.empty()) return;
  ImGui::SetCursorScreenPos(box.min);
  ImGui::BeginChild(view.name.data(), box.size(), false, ImGuiWindowFlags_HorizontalScrollbar);
  if (asks(frame) && (view.id == ViewId::counters || view.id == ViewId::gpu))
    paragraph(frame.text(Str::after_answer), frame.theme.muted, frame.fonts.body);
  else if (!frame.runs.empty() || view.id == ViewId::lesson)
    view.draw(frame, commands);
  ImGui::EndChild();
}

void draw_panel(const Frame& frame, const Panel& panel, Commands& commands) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float rounding = frame.px(10);
  list->AddRectFilled(panel.box.min, panel.box.max, frame.theme.panel, rounding);
  list->AddRect(panel.box.min, panel.box.max, frame.theme.line, rounding);
  Box inside = panel.box.inset(std::round(frame.px(14)), std::round(frame.px(10)));
  const ViewId now = seen(panel, frame.settings);
  ImGui::PushID(static_cast<int>(panel.views.front()));
  draw_heading(frame, inside.cut_top(std::round(frame.px(25))), panel, now, commands);
  inside.cut_top(std::round(frame.px(8)));
  draw_content(frame, inside, view_of(now), commands);
  ImGui::PopID();
}

// While there is nothing to show yet.
void draw_waiting(const Frame& frame, const Box& box) {
  const std::string words = frame.loading >= 0 ? frame.filled(Str::loading, int(frame.loading * 100))
                                               : std::string(frame.text(Str::nothing_open));
  draw_text(frame, box, words, frame.theme.muted, frame.fonts.heading, Align::centre);
}

}  // namespace

void draw_screen(const Frame& frame, ImVec2 size, Commands& commands) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::Begin("screen", nullptr, plain);
  const Layout layout =
      layout_of(size, frame.settings.pixels(), frame.runs.size(), frame.lesson && frame.lesson->lesson);
  draw_title_bar(frame, layout.title, commands);
  for (const Panel& panel : layout.panels) draw_panel(frame, panel, commands);
  if (frame.runs.empty()) draw_waiting(frame, {{0, layout.title.max.y}, {size.x, layout.timeline.min.y}});
  draw_timeline(frame, layout.timeline, commands);
  ImGui::SetCursorScreenPos({0, 0});
  ImGui::Dummy({0, 0});
  ImGui::End();
  if (frame.keys_shown) draw_keys(frame, commands);
}

}  // namespace tilewalk::viz
