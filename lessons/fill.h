// A step of a lesson as it is shown: text with its numbers, where the run stands, what is asked. A viewer, a
// terminal and a handout all show this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lessons/lesson.h"
#include "lessons/shelf.h"

namespace tilewalk {

// A stretch of text. A number says where it comes from; so each can be shown with its label.
struct Span {
  PieceKind kind = PieceKind::text;
  std::string text;
  Origins origins;                   // of a number
  std::vector<std::string> sources;  // of published and measured ones
};

struct Paragraph {
  BlockKind kind = BlockKind::paragraph;
  std::vector<std::vector<Span>> cells;  // one, but for rows of a table
};
using Filled = std::vector<Paragraph>;

struct ShownChoice {
  char letter;  // 'a', 'b', ...
  bool right;
  Filled text, why;
};

struct ShownTrap {
  std::string answer;  // in words
  double number;       // or a tile
  std::int64_t row, col;
  Filled why;
};

struct ShownPrediction {
  PredictionKind kind = PredictionKind::number;
  Filled ask, why;     // why: to be shown with the answer
  std::string answer;  // in words: "65 536", "2 1", "b"
  Value number;        // of the run
  double tolerance = 0;
  std::string format;  // of a number
  std::int64_t row = 0, col = 0;
  std::vector<ShownChoice> choices;
  std::vector<ShownTrap> traps;
};

struct ShownRun {
  std::string name, words;
  OpenRun* run;  // the shelf's
};

// What the step promises to hold in its runs, in the words of its expression: "hbm < std.hbm".
struct ShownCheck {
  std::string text;
  bool holds;
};

struct ShownStep {
  const LessonStep* step = nullptr;  // its id, kind, views and row
  std::size_t index = 0;             // in the lesson
  std::string title;
  std::vector<ShownRun> runs;  // one to three; the position is the first one's
  std::uint64_t position = 0;
  Filled text;
  std::vector<ShownCheck> checks;
  std::optional<ShownPrediction> prediction;
};

// Opens the runs that it needs. Throws RequestError where the lesson does not fit its run; a lesson that
// passed check_lesson does.
ShownStep show_step(const Lesson& lesson, std::size_t index, Language language, Shelf& shelf);

// What an answer is worth. A number may have a unit behind it ("4.2 MB" is understood), a tile is two
// numbers, a choice a letter.
struct Judgement {
  bool understood = false;  // else `why` is empty and the answer no answer
  bool right = false;
  Filled why;  // of the answer that was given: the explanation of a wrong choice, or the prediction's own
};
Judgement judge(const ShownPrediction& prediction, std::string_view answer);

// The text without marks; formulas indented, items with a dash, cells two spaces apart.
std::string plain_text(const Filled& filled);

}  // namespace tilewalk
