// Text that is never clipped: it is shortened with an ellipsis, and shown whole in a tooltip; or it wraps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "viz/box.h"
#include "viz/frame.h"

namespace tilewalk::viz {

enum class Align : std::uint8_t { left, centre, right };

float text_width(std::string_view text, const ImFont* font);
float line_height(const ImFont* font);

// The text, or as much of it as fits before an ellipsis.
std::string shortened(std::string_view text, float width, const ImFont* font);

// One line, in the middle of the box's height. Returns whether it fits; else it ends in an ellipsis and is
// shown whole when the mouse is over the box.
bool draw_text(const Frame& frame, const Box& box, std::string_view text, Colour colour, const ImFont* font,
               Align align = Align::left);

// Lines of at most this width. Breaks at spaces, and between Chinese characters but not before their
// punctuation.
std::vector<std::string> wrapped(std::string_view text, float width, const ImFont* font);

// Where a line may end, from the start of `text`: after the next word, or the next Chinese character with the
// punctuation that follows it.
std::size_t next_break(std::string_view text);

// Draws the lines from the top of the box down, as far as its width; returns the height that they took.
float draw_wrapped(const Box& box, std::string_view text, Colour colour, const ImFont* font);

// A paragraph at the cursor of the current window, as wide as it allows.
void paragraph(std::string_view text, Colour colour, const ImFont* font);

// A tooltip with wrapped text, for what the mouse is over.
void tooltip(const Frame& frame, std::string_view text);

// "1 048 576", with spaces that do not break.
std::string grouped(std::uint64_t number);

}  // namespace tilewalk::viz
