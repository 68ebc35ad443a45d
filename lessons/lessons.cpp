#include "lessons/lessons.h"

#include <algorithm>

#include "lessons/text_files.h"
#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {

std::vector<LessonText> lesson_texts() {
  std::vector<LessonText> texts;
  for (const auto& [path, bytes] : lesson_text_data::files()) texts.push_back({path, bytes});
  return texts;
}

std::span<const Lesson> lessons() {
  static const std::vector<Lesson> all = [] {
    std::vector<Lesson> found;
    for (const LessonText& text : lesson_texts()) {
      Complaints complaints{std::string(text.path)};
      found.push_back(read_lesson(text.text, complaints));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const Lesson& a, const Lesson& b) { return a.number < b.number; });
    return found;
  }();
  return all;
}

const Lesson& lesson_named(std::string_view name) {
  std::vector<std::string_view> known;
  const auto number = parse_number<int>(name);
  for (const Lesson& lesson : lessons()) {
    if (lesson.id == name || (number && lesson.number == *number)) return lesson;
    known.push_back(lesson.id);
  }
  throw RequestError("lesson: " + unknown_name("lesson", shown(name), known));
}

std::vector<PagePlace> page_map() {
  std::vector<PagePlace> places;
  for (const Lesson& lesson : lessons()) {
    for (const LessonStep& step : lesson.steps) {
      for (const int page : step.pages) places.push_back({page, &lesson, &step});
    }
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const PagePlace& a, const PagePlace& b) { return a.page < b.page; });
  return places;
}

std::size_t step_named(const Lesson& lesson, const std::string& step) {
  std::vector<std::string_view> names;
  for (std::size_t n = 0; n < lesson.steps.size(); ++n) {
    if (step == lesson.steps[n].id || step == std::to_string(n + 1)) return n;
    names.push_back(lesson.steps[n].id);
  }
  throw RequestError("--step: " + unknown_name("step", shown(step), names) + "; or say a number, 1 to " +
                     std::to_string(names.size()));
}

}  // namespace tilewalk
