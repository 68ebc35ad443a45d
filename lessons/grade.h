// Points for a file of answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lessons/fill.h"

namespace tilewalk {

struct Mark {
  std::string step, given, answer;  // `given`: "" when there was none
  bool right = false, understood = false;
  Filled why;
};

struct Grade {
  std::vector<Mark> marks;  // one a prediction, in the lesson's order
  int points() const;
  bool passed() const { return points() == static_cast<int>(marks.size()); }
};

// `answers`: lines "STEP = ANSWER"; # begins a comment. Throws RequestError with the line: a line that is not
// one, a step that asks nothing, a step that is answered twice.
Grade grade(const Lesson& lesson, std::string_view answers, const std::string& file, Language language,
            Shelf& shelf);

}  // namespace tilewalk
