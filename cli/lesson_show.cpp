// tilewalk lesson show: a lesson in the terminal, by keys; or all of it as text.
#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/lesson.h"
#include "cli/lesson_text.h"
#include "cli/terminal.h"
#include "lessons/score.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

struct Walker {
  const Lesson& lesson;
  Language language;
  Shelf& shelf;
  std::size_t at = 0;
  Scores scores = {};

  bool asks(const ShownStep& step) {
    return step.prediction && !scores.of(lesson).answers.contains(step.step->id);
  }
  std::string word(const char* en, const char* zh) const { return language == Language::zh ? zh : en; }
};

void reveal(Walker& walker, const ShownStep& step) {
  walker.scores.give_up(walker.lesson, step);
  print(answer_text(*step.prediction, walker.language));
}

void print_judgement(const Walker& walker, const ShownPrediction& prediction, const Judgement& judgement) {
  std::vector<const Filled*> texts = {&judgement.why};
  print((judgement.right ? walker.word("Right.\n", "答对了。\n") : walker.word("Not so.\n", "不对。\n")) +
        text_of(judgement.why));
  if (!judgement.right) {
    print(walker.word("Answer: ", "答案：") + prediction.answer + "\n");
    if (plain_text(judgement.why) != plain_text(prediction.why)) {
      print(text_of(prediction.why));
      texts.push_back(&prediction.why);
    }
  }
  print(origin_lines(texts, walker.language));
}

// Asks until there is an answer; an empty line shows it. A key that goes on instead is given back.
std::string ask(Walker& walker, const ShownStep& step, Terminal& terminal) {
  while (true) {
    const std::string line =
        terminal.read_line(walker.word("your answer (empty: show it; n, p, l, q as below): ",
                                       "你的答案（直接回车看答案；n、p、l、q 照常可用）："));
    throw_if_interrupted();
    if (line == "n" || line == "p" || line == "l" || line == "q") return line;
    if (line.empty()) {
      reveal(walker, step);
      return "";
    }
    const Judgement judgement = walker.scores.answer(walker.lesson, step, line);
    if (judgement.understood) {
      print_judgement(walker, *step.prediction, judgement);
      return "";
    }
    print(walker.word("that is no answer to this question; a number, a letter, or two numbers for a tile\n",
                      "看不懂这个答案：请输入数字、选项字母，或用两个数表示一块\n"));
  }
}

// Shows the step and asks its question. Gives back a key that was typed instead of an answer, or "".
std::string show(Walker& walker, Terminal& terminal) {
  const ShownStep step = show_step(walker.lesson, walker.at, walker.language, walker.shelf);
  print("\x1b[H\x1b[2J\x1b[3J" + step_text(walker.lesson, step, walker.language) + "\n");
  std::string key = walker.asks(step) ? ask(walker, step, terminal) : "";
  const LessonScore& score = walker.scores.of(walker.lesson);
  print(fmt::format("\n{}   {} {}/{}\n",
                    walker.word("n next, p back, r the answer, l language, q quit",
                                "n 下一步，p 上一步，r 看答案，l 换语言，q 退出"),
                    walker.word("score", "得分"), score.right(), score.answered()));
  return key;
}

// Does what a key means; gives back what `show` does.
std::string act(Walker& walker, const std::string& key, Terminal& terminal) {
  const std::size_t before = walker.at, last = walker.lesson.steps.size() - 1;
  if (key == "n" || key == "right" || key == " ") walker.at = std::min(last, walker.at + 1);
  if (key == "p" || key == "left") walker.at -= walker.at > 0;
  if (key == "home") walker.at = 0;
  if (key == "end") walker.at = last;
  if (key == "l") walker.language = walker.language == Language::en ? Language::zh : Language::en;
  if (key == "r") {
    const ShownStep step = show_step(walker.lesson, walker.at, walker.language, walker.shelf);
    if (step.prediction) reveal(walker, step);
  }
  return walker.at != before || key == "l" ? show(walker, terminal) : "";
}

void walk(Walker& walker) {
  Terminal terminal;
  std::string key = show(walker, terminal);
  while (key != "q") {
    if (!key.empty()) {
      key = act(walker, key, terminal);
      continue;
    }
    const auto pressed = terminal.read_key();
    if (!pressed) return;
    key = *pressed;
  }
}

void print_everything(const Lesson& lesson, Language language, bool answers, Shelf& shelf) {
  for (std::size_t n = 0; n < lesson.steps.size(); ++n) {
    const ShownStep step = show_step(lesson, n, language, shelf);
    print((n > 0 ? "\n" : "") + step_text(lesson, step, language));
    if (step.prediction && answers) print("\n" + answer_text(*step.prediction, language));
  }
}

Json everything_json(const Lesson& lesson, Language language, Shelf& shelf) {
  Json steps = Json::array();
  for (std::size_t n = 0; n < lesson.steps.size(); ++n)
    steps.push_back(step_json(show_step(lesson, n, language, shelf)));
  return {{"schema", 1},
          {"id", lesson.id},
          {"number", lesson.number},
          {"title", lesson.title.in(language)},
          {"language", language_codes[static_cast<std::size_t>(language)]},
          {"steps", std::move(steps)}};
}

}  // namespace

int lesson_show(const LessonFlags& flags) {
  const Lesson lesson = find_lesson(flags.words[1]);
  const Language language = language_of(flags);
  Shelf shelf;
  if (flags.no_answers && (flags.json || is_interactive()))
    throw RequestError(
        "--no-answers: is for text in a pipe or a file, e.g. tilewalk lesson show 5 --no-answers > 5.txt");
  if (flags.json) {
    print(json_text(everything_json(lesson, language, shelf)));
  } else if (is_interactive()) {
    Walker walker{lesson, language, shelf};
    walk(walker);
  } else {
    print_everything(lesson, language, !flags.no_answers, shelf);
  }
  return exit_done;
}

}  // namespace tilewalk
