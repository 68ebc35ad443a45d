// Source text in light colours, with one line lit and scrolled to.
#pragma once

#include <string_view>

#include "viz/widgets.h"

namespace tilewalk::viz {

enum class Token : std::uint8_t { plain, comment, keyword, number, text, tensor };

// The next token of a line, cut off. Letters of tensors and tiles are tokens of their own.
struct CodeToken {
  Token kind;
  std::string_view words;
};
CodeToken take_token(std::string_view& line);

// A panel of its own in the box that scrolls by itself when the lit line (from 1; 0: none) changes. Long
// lines wrap.
void draw_code(const Frame& frame, const Box& box, const char* id, std::string_view source, int lit);

}  // namespace tilewalk::viz
