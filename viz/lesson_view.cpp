// A lesson: the step's text, its question, and the way on. What it speaks of stands in the other views.
#include <cmath>

#include "viz/lesson_parts.h"
#include "viz/rich_text.h"
#include "viz/text.h"
#include "viz/views.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

constexpr float button_height = 30;

bool is_open(const Frame& frame) { return frame.lesson && frame.lesson->lesson; }

void draw_way_on(const Frame& frame, const LessonFrame& book, Box row, Commands& commands) {
  const std::size_t at = book.step->index, last = book.lesson->steps.size() - 1;
  const float gap = std::round(frame.px(8)), half = std::floor((row.width() - gap) / 2);
  if (at > 0 && text_button(frame, row.cut_left(half), "previous", frame.text(Str::previous_page)))
    commands.push_back(TurnPage{-1});
  if (at < last && text_button(frame, row.cut_right(half), "next", frame.text(Str::next_page), true))
    commands.push_back(TurnPage{1});
}

// "‹ All lessons", and whether answers are shown.
void draw_switches(const Frame& frame, Box row, Commands& commands) {
  const auto all = frame.text(Str::all_lessons);
  if (text_button(frame, row.cut_left(button_width(frame, all)), "all", all))
    commands.push_back(CloseLesson{});
  const bool shown = frame.settings.answers;
  const auto answers = frame.text(shown ? Str::answers_shown : Str::answers_hidden);
  row.cut_left(frame.px(8));
  if (text_button(frame, row.cut_right(std::min(row.width(), button_width(frame, answers))), "answers",
                  answers, shown))
    commands.push_back(ToggleAnswers{});
  if (ImGui::IsItemHovered()) tooltip(frame, frame.text(Str::answers_hint));
}

float draw_titles(const Frame& frame, const LessonFrame& book, Box box) {
  const Box all = box;
  const auto language = frame.settings.language;
  box.cut_top(draw_wrapped(box, std::to_string(book.lesson->number) + " · " + book.lesson->title.in(language),
                           frame.theme.muted, frame.fonts.small) +
              std::round(frame.px(4)));
  const StepKind kind = book.step->step->kind;
  const std::string title = kind == StepKind::step      ? book.step->title
                            : kind == StepKind::summary ? std::string(frame.text(Str::lesson_summary))
                                                        : std::string(frame.text(Str::lesson_exercise));
  box.cut_top(draw_wrapped(box, title, frame.theme.strong, frame.fonts.heading) + std::round(frame.px(8)));
  return box.min.y - all.min.y;
}

// What the step promises, and that it holds. Not before the question is answered: it might tell.
float draw_checks(const Frame& frame, const LessonFrame& book, Box box) {
  if (book.step->checks.empty() || asks(frame)) return 0;
  const Box all = box;
  box.cut_top(std::round(frame.px(12)));
  box.cut_top(draw_wrapped(box, frame.text(Str::holds_here), frame.theme.muted, frame.fonts.small));
  for (const ShownCheck& check : book.step->checks) {
    const Colour colour = check.holds ? frame.theme.good : frame.theme.bad;
    box.cut_top(draw_wrapped(box, (check.holds ? "= " : "≠ ") + check.text, colour, frame.fonts.mono_small));
  }
  return box.min.y - all.min.y;
}

float draw_sources(const Frame& frame, const LessonFrame& book, Box box) {
  std::vector<std::string> sources;
  add_sources(book.step->text, sources);
  if (book.given && book.step->prediction) add_sources(book.step->prediction->why, sources);
  if (sources.empty()) return 0;
  const Box all = box;
  box.cut_top(std::round(frame.px(12)));
  box.cut_top(draw_wrapped(box, frame.text(Str::sources), frame.theme.muted, frame.fonts.small));
  for (const std::string& source : sources)
    box.cut_top(draw_wrapped(box, "· " + source, frame.theme.muted, frame.fonts.small));
  return box.min.y - all.min.y;
}

void draw_step(const Frame& frame, const LessonFrame& book, Commands& commands) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = std::max(ImGui::GetContentRegionAvail().x - std::round(frame.px(6)), frame.px(170));
  // Slanted letters reach beyond their place.
  Box rest{{at.x + std::round(frame.px(2)), at.y}, {at.x + width, at.y + 1e6f}};
  rest.cut_top(draw_titles(frame, book, rest));
  rest.cut_top(draw_filled(frame, rest, book.step->text, frame.theme.text) + std::round(frame.px(14)));
  rest.cut_top(draw_prediction(frame, book, rest, commands));
  rest.cut_top(draw_checks(frame, book, rest));
  rest.cut_top(draw_sources(frame, book, rest));
  rest.cut_top(std::round(frame.px(10)));
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({width, rest.min.y - at.y});
}

}  // namespace

bool asks(const Frame& frame) {
  return is_open(frame) && frame.lesson->step->prediction && !frame.lesson->given && !frame.settings.answers;
}

std::string about_lesson(const Frame& frame) {
  if (!is_open(frame)) return "";
  const LessonFrame& book = *frame.lesson;
  const std::string at = frame.filled(Str::lesson_of, book.step->index + 1, book.lesson->steps.size());
  const LessonScore& score = std::as_const(*book.scores).of(*book.lesson);
  return score.answered() == 0
             ? at
             : at + " · " + frame.filled(Str::lesson_score, score.right(), score.answered());
}

void draw_lesson(const Frame& frame, Commands& commands) {
  if (!frame.lesson) return;
  const LessonFrame& book = *frame.lesson;
  if (!book.lesson) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = std::max(ImGui::GetContentRegionAvail().x - std::round(frame.px(6)), frame.px(170));
    const float height = draw_lesson_list(frame, book, {at, {at.x + width, at.y + 1e6f}}, commands);
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({width, height});
    return;
  }
  const float row = std::round(frame.px(button_height)), gap = std::round(frame.px(8));
  Box rest = content_box(frame, 190, 180);
  draw_switches(frame, rest.cut_top(row), commands);
  rest.cut_top(gap);
  draw_way_on(frame, book, rest.cut_bottom(row), commands);
  rest.cut_bottom(gap);
  ImGui::SetCursorScreenPos(rest.min);
  // A window for each step: each begins at its top.
  const std::string id = book.lesson->id + "/" + book.step->step->id;
  ImGui::BeginChild(id.c_str(), rest.size(), false);
  draw_step(frame, book, commands);
  ImGui::EndChild();
}

}  // namespace tilewalk::viz
