#include "lessons/markup.h"

#include "lessons/utf8.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

bool is_wide(char32_t c) { return c >= 0x2E80 && c <= 0x9FFF; }

// Chinese punctuation brings its own space.
bool is_wide_mark(char32_t c) {
  return (c >= 0x3000 && c <= 0x303F) || (c >= 0xFF00 && c <= 0xFFEF) || c == 0x2014 || c == 0x2026 ||
         c == 0x201C || c == 0x201D;
}

// What a line break inside a paragraph stands for.
bool is_space_between(char32_t before, char32_t after) {
  return !is_wide_mark(before) && !is_wide_mark(after) && !(is_wide(before) && is_wide(after));
}

char32_t first_of(std::string_view text) { return text.empty() ? 0 : take_utf8(text); }

char32_t last_of(std::string_view text) {
  char32_t last = 0;
  while (!text.empty()) last = take_utf8(text);
  return last;
}

// Reads the pieces of one block, whose lines come one after another.
class PieceReader {
 public:
  explicit PieceReader(Complaints& complaints) : complaints_(complaints) {}

  void take(const TextLine& line, std::string_view text) {
    if (any_ && is_space_between(last_, first_of(text))) put(" ");
    any_ = true;
    line_ = line.line;
    last_ = last_of(text);
    while (!text.empty()) step(text);
  }
  std::vector<Piece> finish() {
    if (mode_ == PieceKind::math) complaints_.add(opened_, "a ` is opened and not closed; add the other one");
    if (mode_ == PieceKind::strong)
      complaints_.add(opened_, "a ** is opened and not closed; add the other one");
    flush();
    return std::move(pieces_);
  }

 private:
  void put(std::string_view text) { current_ += text; }
  void flush() {
    if (!current_.empty()) pieces_.push_back({mode_, line_, std::move(current_), {}});
    current_.clear();
  }
  void toggle(PieceKind kind) {
    flush();
    mode_ = mode_ == kind ? PieceKind::text : kind;
    opened_ = line_;
  }
  void step(std::string_view& text) {
    if (text.starts_with("`")) {
      toggle(PieceKind::math);
      text.remove_prefix(1);
    } else if (text.starts_with("**") && mode_ != PieceKind::math) {
      toggle(PieceKind::strong);
      text.remove_prefix(2);
    } else if (text.starts_with("{{") || text.starts_with("}}")) {
      put(text.substr(0, 1));
      text.remove_prefix(2);
    } else if (text[0] == '{') {
      place(text);
    } else {
      if (text[0] == '}') complaints_.add(line_, "a '}' stands alone; write }} for the character");
      put(text.substr(0, 1));
      text.remove_prefix(1);
    }
  }
  void place(std::string_view& text) {
    const auto end = text.find('}');
    if (end == std::string_view::npos) {
      complaints_.add(line_, "a '{' is not closed on its line; close it, or write {{ for the character");
      text = {};
      return;
    }
    const std::string_view inside = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    const auto colon = inside.find(':');
    std::string format(colon == std::string_view::npos ? "" : inside.substr(colon + 1));
    while (format.starts_with(' ')) format.erase(0, 1);
    while (format.ends_with(' ')) format.pop_back();
    if (!is_number_format(format)) {
      complaints_.add(line_, "placeholder {" + shown(inside) + "}: unknown format '" + shown(format) +
                                 "'; known: bytes, B, percent, x, time, count, sci, .0 to .9");
      return;
    }
    try {
      Piece piece{PieceKind::number, line_, format, Expression::parse(inside.substr(0, colon))};
      flush();
      pieces_.push_back(std::move(piece));
    } catch (const RequestError& error) {
      complaints_.add(line_, error.what());
    }
  }

  Complaints& complaints_;
  std::vector<Piece> pieces_;
  std::string current_;
  PieceKind mode_ = PieceKind::text;
  int line_ = 0, opened_ = 0;
  char32_t last_ = 0;
  bool any_ = false;
};

std::string_view without_indent(std::string_view text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
  return text;
}

// All of it is mathematics.
TextBlock formula(const TextLine& line, std::string_view text, Complaints& complaints) {
  PieceReader reader(complaints);
  reader.take(line, text);
  std::vector<Piece> pieces = reader.finish();
  for (Piece& piece : pieces) piece.kind = piece.kind == PieceKind::text ? PieceKind::math : piece.kind;
  return {BlockKind::formula, {std::move(pieces)}};
}

TextBlock row(const TextLine& line, Complaints& complaints) {
  TextBlock block{BlockKind::row, {}};
  std::string_view rest = line.text;
  rest.remove_prefix(1);
  while (without_indent(rest).size() > 0) {
    const auto end = rest.find('|');
    std::string_view cell = without_indent(rest.substr(0, end));
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    PieceReader reader(complaints);
    reader.take(line, cell);
    block.cells.push_back(reader.finish());
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (block.cells.empty())
    complaints.add(line.line, "the row of a table has no cells; write | cell | cell |");
  return block;
}

}  // namespace

Markup parse_markup(const std::vector<TextLine>& lines, Complaints& complaints) {
  Markup markup;
  for (std::size_t n = 0; n < lines.size();) {
    const TextLine& line = lines[n];
    const std::string_view text = without_indent(line.text);
    const bool indented = text.size() < line.text.size();
    if (text.empty()) {
      ++n;
    } else if (indented || text[0] == '|') {
      markup.push_back(text[0] == '|' ? row({line.line, std::string(text)}, complaints)
                                      : formula(line, text, complaints));
      ++n;
    } else {
      const bool item = text.starts_with("- ");
      PieceReader reader(complaints);
      reader.take(line, item ? text.substr(2) : text);
      for (++n; n < lines.size(); ++n) {
        const std::string_view next = lines[n].text;
        // What is indented further is a formula, except below an item, where it goes on.
        if (next.empty() || next[0] == '|' || next.starts_with("- ") || (next[0] == ' ' && !item)) break;
        reader.take(lines[n], without_indent(next));
      }
      markup.push_back({item ? BlockKind::item : BlockKind::paragraph, {reader.finish()}});
    }
  }
  return markup;
}

}  // namespace tilewalk
