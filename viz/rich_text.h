// The text of lessons: words, formulas and numbers in one paragraph, wrapped together; tables and formulas of
// their own. A number says in a tooltip where it comes from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lessons/fill.h"
#include "viz/box.h"
#include "viz/frame.h"

namespace tilewalk::viz {

// A paragraph, broken into lines of at most a width. The spans must outlive it.
class Flow {
 public:
  // `plain`: the colour of its words.
  Flow(const Frame& frame, const std::vector<Span>& spans, float width, Colour plain, bool small = false);

  float height() const { return step_ * float(lines_); }
  float width() const { return widest_; }  // of the longest line
  float longest_word() const { return longest_word_; }
  void draw(const Frame& frame, ImVec2 at) const;

 private:
  struct Piece {
    std::string_view text;
    const Span* span;
    float x, width;
    std::size_t line;
  };
  // The parts of [from, to) of the whole paragraph's text, a span each, from x = 0 on.
  std::vector<Piece> parts(std::size_t from, std::size_t to) const;
  void place(std::size_t from, std::size_t to, float most);

  const std::vector<Span>& spans_;
  const ImFont* font_;
  Colour plain_;
  std::vector<Piece> pieces_;
  std::size_t lines_ = 1;
  float step_ = 0, x_ = 0, widest_ = 0, longest_word_ = 0;
};

// Draws from the top of the box down, as far as its width; returns the height that it took.

float draw_filled(const Frame& frame, const Box& box, const Filled& filled, Colour colour);

// Where the published and measured numbers of a text come from, each once.
void add_sources(const Filled& filled, std::vector<std::string>& sources);

}  // namespace tilewalk::viz
