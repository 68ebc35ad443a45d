// A lesson as its file says it. Nothing here has been run yet: lessons/fill.h does that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lessons/language.h"
#include "lessons/markup.h"

namespace tilewalk {

// A run that the lesson shows: an algorithm and flags, in the words of the command line; or "recorded NAME".
struct LessonRun {
  std::string name, words;
  int line = 0;
};

struct Choice {
  int line = 0;
  bool right = false;
  Expression proof;  // `if`: holds for the right choice, and for no other; may be missing for wrong ones
  Both<Markup> text, why;
};

// A wrong answer that people give, and what they mixed up.
struct Trap {
  int line = 0;
  Expression value;               // of a number
  std::int64_t row = 0, col = 0;  // of a tile
  Both<Markup> why;
};

enum class PredictionKind : std::uint8_t { number, choice, tile };

struct Prediction {
  PredictionKind kind = PredictionKind::number;
  int line = 0;
  Both<Markup> ask, why;
  // number: what the lesson states, what the run gives, and how far an answer may be off
  double stated = 0, tolerance = 0;
  Expression equals;
  std::string format;
  std::int64_t row = 0, col = 0;  // tile: the next one, as stated
  std::vector<Choice> choices;
  std::vector<Trap> traps;
};

enum class StepKind : std::uint8_t { step, summary, exercise };

struct LessonStep {
  StepKind kind = StepKind::step;
  std::string id;
  int line = 0;
  Both<std::string> title;
  std::vector<std::string> runs;  // names; positions and values are those of the first
  std::string at = "start";       // as of find_anchor (sim/anchor.h)
  int at_line = 0;
  std::vector<std::string> views;
  std::int64_t row = -1;                           // of queries, that is looked at more closely; -1: none
  std::vector<int> pages;                          // of the lecture
  std::vector<std::pair<int, Expression>> checks;  // with their lines
  Both<Markup> text;
  std::optional<Prediction> prediction;
};

struct Lesson {
  std::string id, file;
  int number = 0;  // in the course
  Both<std::string> title;
  std::vector<LessonRun> runs;
  std::vector<LessonStep> steps;  // the last two: summary and exercise

  const LessonStep* find(std::string_view step) const;  // null: none
  const LessonRun* run(std::string_view name) const;
};

constexpr int lecture_pages = 39;

// What a step may show; the names of the viewer's views.
constexpr std::string_view view_names[] = {"what-if", "memory",   "traversal", "tiles",
                                           "merge",   "counters", "source",    "gpu"};

// Reads a file's text. Everything that is wrong with its form is complained of; what could be read is
// returned.
Lesson read_lesson(std::string_view text, Complaints& complaints);

}  // namespace tilewalk
