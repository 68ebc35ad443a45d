// What prose must not say: figures that could be counted, and simplifications that are wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lessons/lesson.h"

namespace tilewalk {

// Figures outside placeholders that no rule allows. Allowed are names (FlashAttention-2, H200, f16), numbers
// of figures, tables and algorithms, and coefficients of formulas.
std::vector<std::string> bare_figures(const Piece& piece);

// Statements that are wrong whatever run is shown: "O(1)" accesses, a softmax tile by tile. Gives the words
// found.
std::vector<std::string> forbidden_words(std::string_view text);
// The same for steps that show only fused runs: S or P in HBM.
std::vector<std::string> forbidden_of_fused(std::string_view text);

// Everything that is written, piece by piece: `taught` is what the lesson itself says; wrong choices and
// traps are not.
struct Written {
  const LessonStep* step;
  Language language;
  const Markup* markup;
  int line;
  bool taught;
};
std::vector<Written> everything_written(const Lesson& lesson);

}  // namespace tilewalk
