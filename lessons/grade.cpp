#include "lessons/grade.h"

#include <algorithm>
#include <map>

#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::map<std::string, std::string> read_answers(const Lesson& lesson, std::string_view text,
                                                const std::string& file) {
  std::map<std::string, std::string> answers;
  std::vector<std::string_view> asking;
  for (const LessonStep& step : lesson.steps) {
    if (step.prediction) asking.push_back(step.id);
  }
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = trimmed(take_line(text));
    if (line.empty() || line[0] == '#') continue;
    const auto refuse = [&](const std::string& why) {
      throw RequestError(file + ", line " + std::to_string(number) + ": " + why);
    };
    const auto sign = line.find('=');
    if (sign == std::string_view::npos) refuse("'" + shown(line) + "' is no answer; write STEP = ANSWER");
    const std::string step(trimmed(line.substr(0, sign)));
    if (std::find(asking.begin(), asking.end(), step) == asking.end())
      refuse(unknown_name("question", step, asking));
    if (!answers.emplace(step, trimmed(line.substr(sign + 1))).second)
      refuse("'" + step + "' is answered twice; keep one");
  }
  return answers;
}

}  // namespace

int Grade::points() const {
  return static_cast<int>(
      std::count_if(marks.begin(), marks.end(), [](const Mark& mark) { return mark.right; }));
}

Grade grade(const Lesson& lesson, std::string_view answers, const std::string& file, Language language,
            Shelf& shelf) {
  const auto given = read_answers(lesson, answers, file);
  Grade result;
  for (std::size_t n = 0; n < lesson.steps.size(); ++n) {
    if (!lesson.steps[n].prediction) continue;
    const ShownStep step = show_step(lesson, n, language, shelf);
    const auto found = given.find(step.step->id);
    Mark mark{
        step.step->id, found == given.end() ? "" : found->second, step.prediction->answer, false, false, {}};
    const Judgement judgement = judge(*step.prediction, mark.given);
    mark.right = judgement.right;
    mark.understood = judgement.understood;
    mark.why = judgement.why;
    result.marks.push_back(std::move(mark));
  }
  return result;
}

}  // namespace tilewalk
