// tilewalk lesson grade: points for a file of answers.
#include "lessons/grade.h"

#include <fmt/format.h>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/lesson.h"
#include "cli/lesson_text.h"
#include "cli/table.h"
#include "cli/text_file.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

std::string verdict(const Mark& mark, bool zh) {
  if (mark.right) return zh ? "对" : "right";
  if (mark.given.empty()) return zh ? "没有回答" : "no answer";
  if (mark.understood) return zh ? "不对" : "wrong";
  return zh ? "看不懂" : "not understood";
}

// Text filled up with spaces to a width in columns.
std::string filled_up(std::string text, std::size_t width) {
  const std::size_t columns = display_width(text);
  return text.append(columns < width ? width - columns : 0, ' ');
}

void print_grade(const Grade& grade, bool zh) {
  for (const Mark& mark : grade.marks) {
    const std::string given = mark.given.empty() ? "-" : one_line(mark.given, 40);
    print(filled_up(mark.step, 24) + " " + filled_up(given, 16) + " " + verdict(mark, zh) + "\n");
    if (!mark.right && mark.understood) print(text_of(mark.why, "    "));
  }
  print(fmt::format(fmt::runtime(zh ? "共 {1} 分，得 {0} 分\n" : "{} of {} points\n"), grade.points(),
                    grade.marks.size()));
}

Json grade_json(const Lesson& lesson, const Grade& grade) {
  Json marks = Json::array();
  for (const Mark& mark : grade.marks) {
    marks.push_back({{"step", mark.step},
                     {"given", mark.given.empty() ? Json() : Json(mark.given)},
                     {"understood", mark.understood},
                     {"right", mark.right},
                     {"why", plain_text(mark.why)}});
  }
  return {{"schema", 1},
          {"lesson", lesson.id},
          {"points", grade.points()},
          {"of", grade.marks.size()},
          {"passed", grade.passed()},
          {"marks", std::move(marks)}};
}

}  // namespace

int lesson_grade(const LessonFlags& flags) {
  const Lesson lesson = find_lesson(flags.words[1]);
  const Language language = language_of(flags);
  const std::string& path = flags.words[2];
  const std::string answers = read_text_file(path, "lesson grade " + shown(path), 1 << 20);
  Shelf shelf;
  const Grade result = grade(lesson, answers, path, language, shelf);
  if (flags.json)
    print(json_text(grade_json(lesson, result)));
  else
    print_grade(result, language == Language::zh);
  return result.passed() ? exit_done : exit_disagrees;
}

}  // namespace tilewalk
