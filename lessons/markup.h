// The text of a lesson: paragraphs with `math`, **strong** words and {placeholders}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/expression.h"
#include "lessons/sections.h"

namespace tilewalk {

enum class PieceKind : std::uint8_t { text, math, strong, number };

// As written: a number is an expression to be evaluated.
struct Piece {
  PieceKind kind = PieceKind::text;
  int line = 0;
  std::string text;  // a number's: its format
  Expression expression;
};

// A formula stands on a line of its own; an item begins with "- "; a row of a table is "| cell | cell |".
enum class BlockKind : std::uint8_t { paragraph, formula, item, row };

struct TextBlock {
  BlockKind kind = BlockKind::paragraph;
  std::vector<std::vector<Piece>> cells;  // one, but for rows
};

using Markup = std::vector<TextBlock>;

// Blank lines end paragraphs; a line that is indented further is a formula. A line break inside a paragraph
// is a space, or nothing next to Chinese.
Markup parse_markup(const std::vector<TextLine>& lines, Complaints& complaints);

}  // namespace tilewalk
