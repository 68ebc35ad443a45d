// tilewalk lesson grade and export: for exercises at home, and for handouts.
#include <fmt/format.h>

#include <filesystem>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/lesson.h"
#include "cli/lesson_text.h"
#include "cli/output_file.h"
#include "cli/text_file.h"
#include "lessons/grade.h"
#include "lessons/handout.h"
#include "sim/error.h"

namespace tilewalk {

int lesson_grade(const LessonFlags& flags) {
  const Lesson lesson = find_lesson(flags.words[1]);
  const Language language = language_of(flags);
  const std::string& path = flags.words[2];
  Shelf shelf;
  const Grade result =
      grade(lesson, read_text_file(path, "lesson grade " + shown(path), 1 << 20), path, language, shelf);
  Json marks = Json::array();
  for (const Mark& mark : result.marks) {
    marks.push_back({{"step", mark.step},
                     {"given", mark.given.empty() ? Json() : Json(mark.given)},
                     {"understood", mark.understood},
                     {"right", mark.right},
                     {"why", plain_text(mark.why)}});
    if (flags.json) continue;
    const char* verdict = mark.right           ? "right"
                          : mark.given.empty() ? "no answer"
                          : mark.understood    ? "wrong"
                                               : "not understood";
    print(fmt::format("{:<24} {:<16} {}\n", mark.step, mark.given.empty() ? "-" : one_line(mark.given, 40),
                      verdict));
    if (!mark.right && mark.understood) print(text_of(mark.why, "    "));
  }
  if (flags.json) {
    print(json_text({{"schema", 1},
                     {"lesson", lesson.id},
                     {"points", result.points()},
                     {"of", result.marks.size()},
                     {"passed", result.passed()},
                     {"marks", std::move(marks)}}));
  } else {
    print(fmt::format("{} of {} points\n", result.points(), result.marks.size()));
  }
  return result.passed() ? exit_done : exit_disagrees;
}

int lesson_export(const LessonFlags& flags) {
  if (!flags.out) throw RequestError("lesson export: --out is missing; say e.g. --out handouts");
  const Lesson lesson = find_lesson(flags.words[1]);
  const Language language = language_of(flags);
  std::error_code failed;
  std::filesystem::create_directories(*flags.out, failed);
  if (failed)
    throw RequestError("--out " + typed(*flags.out) + ": cannot be created (" + failed.message() +
                       "); name another folder");
  Shelf shelf;
  const auto path =
      std::filesystem::path(*flags.out) /
      (lesson.id + "." + std::string(language_codes[static_cast<std::size_t>(language)]) + ".html");
  write_file_atomically(path, handout_html(lesson, language, shelf), "--out");
  if (flags.json)
    print(json_text({{"schema", 1}, {"lesson", lesson.id}, {"files", {path.string()}}}));
  else
    print(path.string() + "\n");
  return exit_done;
}

}  // namespace tilewalk
