// What somebody has answered so far, and where they were last. A viewer keeps it from one day to the next.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lessons/fill.h"

namespace tilewalk {

struct GivenAnswer {
  std::string text;  // as typed; "": gave up
  bool right = false;
};

struct LessonScore {
  std::string at;                              // the id of the step that was shown last; "": none yet
  std::map<std::string, GivenAnswer> answers;  // by step id; the first that was understood counts
  int right() const;
  int answered() const { return static_cast<int>(answers.size()); }
};

// How many points a lesson has: one a prediction.
int questions_of(const Lesson& lesson);

class Scores {
 public:
  // The lesson's score; an empty one at first.
  LessonScore& of(const Lesson& lesson) { return lessons_[lesson.id]; }
  const LessonScore& of(const Lesson& lesson) const;

  // Judges, and keeps the judgement unless the step was answered before.
  Judgement answer(const Lesson& lesson, const ShownStep& step, std::string_view text);

  // Who looks at the answer has answered: with nothing, and wrong.
  void give_up(const Lesson& lesson, const ShownStep& step);

  // Lines "LESSON STEP right ANSWER", "LESSON STEP wrong ANSWER" and "LESSON STEP here". Reading leaves out
  // lines that it does not know: a score is no reason to refuse to open.
  std::string text() const;
  static Scores read(std::string_view text);

 private:
  std::map<std::string, LessonScore> lessons_;  // by id
};

}  // namespace tilewalk
