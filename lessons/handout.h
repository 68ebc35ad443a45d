// A lesson as one page of HTML to be printed: text, pictures, questions, and the answers on a page of their
// own.
#pragma once

#include <string>

#include "lessons/lesson.h"
#include "lessons/shelf.h"

namespace tilewalk {

// `answers`: with their page, the last one. Needs nothing outside itself. Every number bears a mark of its
// origin; sources stand at the end.
std::string handout_html(const Lesson& lesson, Language language, bool answers, Shelf& shelf);

}  // namespace tilewalk
