// The lessons that ship with tilewalk, one file each in lessons/texts, and the lecture's pages they cover.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/lesson.h"

namespace tilewalk {

// By number. Read once; a broken one is a defect that a test finds.
std::span<const Lesson> lessons();
// By id or number. Throws RequestError with the nearest id.
const Lesson& lesson_named(std::string_view name);

// The index of a step, by id or by number from 1. Throws RequestError, beginning with --step, with the
// nearest id.
std::size_t step_named(const Lesson& lesson, const std::string& step);

// The text and path of the file of a shipped lesson.
struct LessonText {
  std::string_view path, text;
};
std::vector<LessonText> lesson_texts();

// Where a page of the lecture is taught; a page may be in several places.
struct PagePlace {
  int page;
  const Lesson* lesson;
  const LessonStep* step;
};
std::vector<PagePlace> page_map();  // by page, then by lesson

}  // namespace tilewalk
