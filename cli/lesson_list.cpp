// tilewalk lesson list, pages and check.
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/lesson.h"
#include "cli/run_json.h"
#include "cli/table.h"
#include "cli/text_file.h"
#include "lessons/check_lesson.h"
#include "lessons/score.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

// Reads and checks one file. A file that cannot be read is a wrong request.
Complaints checked(const std::string& path, Shelf& shelf) {
  Complaints complaints(path);
  std::string text;
  try {
    text = read_text_file(path, "lesson check " + shown(path), 64 << 20);
  } catch (const std::bad_alloc&) {
    throw RequestError("lesson check " + shown(path) + ": is too large");
  }
  const Lesson lesson = read_lesson(text, complaints);
  if (!lesson.steps.empty()) check_lesson(lesson, shelf, complaints);
  return complaints;
}

Json complaints_json(const Complaints& complaints) {
  Json list = Json::array();
  for (const Complaint& complaint : complaints.list())
    list.push_back({{"line", complaint.line}, {"message", complaint.what}});
  return {{"file", complaints.file()}, {"sound", complaints.empty()}, {"complaints", std::move(list)}};
}

}  // namespace

int lesson_list(const LessonFlags& flags) {
  const Language language = language_of(flags);
  Json items = Json::array();
  Table rows({{"", Align::right}, {"id"}, {"title"}, {"steps", Align::right}, {"questions", Align::right}});
  for (const Lesson& lesson : lessons()) {
    items.push_back({{"name", lesson.id},
                     {"title", lesson.title.in(language)},
                     {"number", lesson.number},
                     {"title_zh", lesson.title.in(Language::zh)},
                     {"steps", lesson.steps.size()},
                     {"questions", questions_of(lesson)}});
    rows.add_row({std::to_string(lesson.number), lesson.id, lesson.title.in(language),
                  std::to_string(lesson.steps.size()), std::to_string(questions_of(lesson))});
  }
  print(flags.json ? json_text({{"schema", 1}, {"items", items}}) : rows.text(output_is_terminal()));
  return exit_done;
}

int lesson_pages(const LessonFlags& flags) {
  const Language language = language_of(flags);
  Json items = Json::array();
  Table rows({{"page", Align::right}, {"lesson"}, {"step"}, {"title"}});
  int missing = lecture_pages, before = 0;
  for (const PagePlace& place : page_map()) {
    missing -= place.page != before;
    before = place.page;
    items.push_back({{"page", place.page},
                     {"lesson", place.lesson->id},
                     {"step", place.step->id},
                     {"title", place.step->title.in(language)}});
    rows.add_row(
        {std::to_string(place.page), place.lesson->id, place.step->id, place.step->title.in(language)});
  }
  print(flags.json
            ? json_text({{"schema", 1}, {"pages", lecture_pages}, {"missing", missing}, {"items", items}})
            : rows.text(output_is_terminal()));
  if (missing > 0)
    complain("lesson pages: " + std::to_string(missing) + " pages of the lecture are in no lesson");
  return missing == 0 ? exit_done : exit_disagrees;
}

int lesson_check(const LessonFlags& flags) {
  Shelf shelf;
  Json files = Json::array();
  bool sound = true;
  for (std::size_t n = 1; n < flags.words.size(); ++n) {
    const Complaints complaints = checked(flags.words[n], shelf);
    sound = sound && complaints.empty();
    files.push_back(complaints_json(complaints));
    if (!flags.json) print(complaints.empty() ? flags.words[n] + ": sound\n" : complaints.text());
  }
  if (flags.json) print(json_text({{"schema", 1}, {"sound", sound}, {"files", files}}));
  return sound ? exit_done : exit_disagrees;
}

}  // namespace tilewalk
