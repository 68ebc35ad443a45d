// All lessons, to choose one.
#include <cmath>

#include "lessons/lessons.h"
#include "viz/lesson_parts.h"
#include "viz/text.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

// "3 of 5 right", or how many steps there are while nothing was answered.
std::string state_of(const Frame& frame, const Lesson& lesson, const LessonScore& score) {
  if (score.answered() == 0) return frame.filled(Str::lesson_steps, lesson.steps.size());
  return frame.filled(Str::lesson_score, score.right(), questions_of(lesson));
}

// How far somebody got.
float part_done(const Lesson& lesson, const LessonScore& score) {
  const LessonStep* at = lesson.find(score.at);
  return at ? float(at - lesson.steps.data() + 1) / float(lesson.steps.size()) : 0;
}

float draw_row(const Frame& frame, const Box& box, const Lesson& lesson, const LessonScore& score,
               Commands& commands) {
  const float pad = std::round(frame.px(9)), number = std::round(frame.px(26)),
              line = std::round(frame.px(19));
  const std::string title = lesson.title.in(frame.settings.language);
  const auto lines = wrapped(title, box.width() - 2 * pad - number, frame.fonts.body).size();
  const float height = float(lines) * std::ceil(line_height(frame.fonts.body) * 1.2f) + line + 2 * pad;
  const Box row{box.min, {box.max.x, box.min.y + height}};
  if (clicked(lesson.id.c_str(), row)) commands.push_back(OpenLesson{lesson.id});
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(row.min, row.max,
                      hovered ? mixed(frame.theme.inset, frame.theme.selection, 0.25f) : frame.theme.inset,
                      frame.px(6));
  Box inside = row.inset(pad);
  const Box bar{{row.min.x + pad, row.max.y - frame.px(4)}, {row.max.x - pad, row.max.y - frame.px(2)}};
  const float done = part_done(lesson, score);
  if (done > 0)
    list->AddRectFilled(bar.min, {bar.min.x + bar.width() * done, bar.max.y}, frame.theme.selection, 1);
  draw_text(frame,
            Box{inside.min, {inside.min.x + number, inside.min.y + std::ceil(line_height(frame.fonts.body))}},
            std::to_string(lesson.number), frame.theme.muted, frame.fonts.body);
  inside.cut_left(number);
  const Box below = inside.cut_bottom(line);
  draw_wrapped(inside, title, frame.theme.strong, frame.fonts.body);
  draw_text(frame, below, state_of(frame, lesson, score), frame.theme.muted, frame.fonts.small);
  return height;
}

}  // namespace

float draw_lesson_list(const Frame& frame, const LessonFrame& book, const Box& box, Commands& commands) {
  const Scores& scores = *book.scores;
  Box rest = box;
  rest.cut_top(draw_wrapped(rest, frame.text(Str::lessons_hint), frame.theme.muted, frame.fonts.small) +
               frame.px(8));
  for (const Lesson& lesson : lessons())
    rest.cut_top(draw_row(frame, rest, lesson, scores.of(lesson), commands) + std::round(frame.px(6)));
  return rest.min.y - box.min.y;
}

}  // namespace tilewalk::viz
