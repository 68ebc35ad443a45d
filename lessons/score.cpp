#include "lessons/score.h"

#include <algorithm>

#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {

int LessonScore::right() const {
  return static_cast<int>(
      std::count_if(answers.begin(), answers.end(), [](const auto& entry) { return entry.second.right; }));
}

int questions_of(const Lesson& lesson) {
  return static_cast<int>(std::count_if(lesson.steps.begin(), lesson.steps.end(),
                                        [](const LessonStep& step) { return step.prediction.has_value(); }));
}

const LessonScore& Scores::of(const Lesson& lesson) const {
  static const LessonScore nothing;
  const auto found = lessons_.find(lesson.id);
  return found == lessons_.end() ? nothing : found->second;
}

Judgement Scores::answer(const Lesson& lesson, const ShownStep& step, std::string_view text) {
  Judgement judgement = judge(step.prediction.value(), text);
  // shown(): one line of bounded length, so that text() can be read again.
  if (judgement.understood)
    of(lesson).answers.emplace(step.step->id, GivenAnswer{shown(text), judgement.right});
  return judgement;
}

void Scores::give_up(const Lesson& lesson, const ShownStep& step) {
  of(lesson).answers.emplace(step.step->id, GivenAnswer{"", false});
}

std::string Scores::text() const {
  std::string text;
  for (const auto& [lesson, score] : lessons_) {
    for (const auto& [step, answer] : score.answers)
      text += lesson + " " + step + (answer.right ? " right " : " wrong ") + answer.text + "\n";
    if (!score.at.empty()) text += lesson + " " + score.at + " here\n";
  }
  return text;
}

Scores Scores::read(std::string_view text) {
  Scores scores;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string lesson(take_word(line)), step(take_word(line));
    const std::string_view what = take_word(line);
    if (what == "here")
      scores.lessons_[lesson].at = step;
    else if (what == "right" || what == "wrong")
      scores.lessons_[lesson].answers[step] = {
          std::string(line.substr(std::min<std::size_t>(1, line.size()))), what == "right"};
  }
  return scores;
}

}  // namespace tilewalk
