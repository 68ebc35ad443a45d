// The actions of `tilewalk lesson`.
#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "lessons/lessons.h"

namespace tilewalk {

struct LessonFlags {
  std::vector<std::string> words;  // the action and what follows it
  Flag lang, out;
  bool json = false, no_answers = false, no_slides = false;
};

Language language_of(const LessonFlags& flags);

// A shipped lesson by id or number, or a file ending in .lesson, which must be sound in form.
Lesson find_lesson(const std::string& name);

int lesson_list(const LessonFlags& flags);
int lesson_show(const LessonFlags& flags);
int lesson_check(const LessonFlags& flags);
int lesson_pages(const LessonFlags& flags);
int lesson_export(const LessonFlags& flags);
int lesson_grade(const LessonFlags& flags);

}  // namespace tilewalk
