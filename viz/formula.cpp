#include "viz/formula.h"

#include <cmath>
#include <string>
#include <vector>

#include "viz/text.h"

namespace tilewalk::viz {
namespace {

struct Piece {
  std::string text;
  std::string name;  // of the quantity whose colour it has; "": none
  int level = 0;     // 1: raised, -1: lowered
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Greek letters and ℓ by the names of their tiles.
std::string name_of_letter(std::string_view letter) {
  if (letter == "ℓ") return "l";
  if (letter == "α") return "alpha";
  if (letter == "β") return "beta";
  if (letter.size() == 1 && is_letter(letter[0]) &&
      std::string_view("qkvspomQKVSPOL").find(letter[0]) != std::string_view::npos)
    return std::string(letter);
  return "";
}

class Parser {
 public:
  explicit Parser(std::string_view rest) : rest_(rest) {}

  std::vector<Piece> parse() {
    while (!rest_.empty()) take();
    return pieces_;
  }

 private:
  void take() {
    if (rest_.starts_with("^{") || rest_.starts_with("_{")) {
      level_ = rest_[0] == '^' ? 1 : -1;
      rest_.remove_prefix(2);
    } else if (rest_[0] == '}') {
      level_ = 0;
      rest_.remove_prefix(1);
    } else if (rest_[0] == '[') {
      const std::size_t colon = rest_.find(':'), end = rest_.find(']');
      add(rest_.substr(colon + 1, end - colon - 1), std::string(rest_.substr(1, colon - 1)));
      rest_.remove_prefix(end + 1);
    } else if (is_letter(rest_[0])) {
      std::size_t length = 1;
      while (length < rest_.size() && is_letter(rest_[length])) ++length;
      const std::string_view word = rest_.substr(0, length);
      add(word, length == 1 && word != "e" ? name_of_letter(word) : "");
      rest_.remove_prefix(length);
    } else {
      std::string_view ahead = rest_;
      take_character(ahead);
      const std::string_view letter = rest_.substr(0, rest_.size() - ahead.size());
      // A prime belongs to the letter that it follows.
      add(letter, letter == "′" && !pieces_.empty() ? pieces_.back().name : name_of_letter(letter));
      rest_ = ahead;
    }
  }

  void add(std::string_view text, std::string name) {
    if (!pieces_.empty() && pieces_.back().name == name && pieces_.back().level == level_) {
      pieces_.back().text += text;
    } else {
      pieces_.push_back({std::string(text), std::move(name), level_});
    }
  }

  std::string_view rest_;
  std::vector<Piece> pieces_;
  int level_ = 0;
};

const ImFont* font_of(const Frame& frame, const Piece& piece, const ImFont* font) {
  if (piece.level == 0) return font;
  return font == frame.fonts.mono || font == frame.fonts.mono_small ? frame.fonts.mono_small
                                                                    : frame.fonts.small;
}

// A lowered j reaches to the left, below the letter before it.
float space_before(const Frame& frame, const Piece& piece) { return piece.level < 0 ? frame.px(1.5f) : 0; }

}  // namespace

float formula_width(const Frame& frame, std::string_view formula, const ImFont* font) {
  float width = 0;
  for (const Piece& piece : Parser(formula).parse())
    width += text_width(piece.text, font_of(frame, piece, font)) + space_before(frame, piece);
  return std::ceil(width);
}

void draw_formula(const Frame& frame, const Box& box, std::string_view formula, const ImFont* font,
                  Colour colour) {
  float x = box.min.x;
  const float rise = line_height(font) * 0.24f;
  std::string whole;
  bool cut = false;
  for (const Piece& piece : Parser(formula).parse()) {
    const ImFont* face = font_of(frame, piece, font);
    const float width = text_width(piece.text, face);
    x += space_before(frame, piece);
    whole += piece.text;
    cut = cut || x + width > box.max.x + 0.5f;
    if (cut) continue;
    const float y = box.centre().y - line_height(face) / 2 - float(piece.level) * rise;
    const Colour shown = piece.name.empty() ? colour : tensor_colour(frame.theme, piece.name);
    ImGui::GetWindowDrawList()->AddText(face, face->FontSize, {std::round(x), std::floor(y)}, shown,
                                        piece.text.data(), piece.text.data() + piece.text.size());
    x += width;
  }
  if (cut && ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(box.min, box.max)) tooltip(frame, whole);
}

}  // namespace tilewalk::viz
