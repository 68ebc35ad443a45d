#include "viz/code.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/parse.h"

namespace tilewalk::viz {
namespace {

constexpr std::string_view keywords[] = {
    "auto",   "bool",       "break",      "const",    "constexpr", "continue", "else",      "extern",
    "false",  "float",      "for",        "if",       "inline",    "int",      "namespace", "return",
    "sizeof", "static",     "struct",     "template", "true",      "typename", "using",     "void",
    "while",  "__device__", "__shared__", "unsigned", "#include",  "#pragma"};
constexpr std::string_view tensors[] = {"Q", "K", "V", "S", "P", "O", "L",     "q",    "k",      "v",
                                        "s", "p", "o", "m", "l", "M", "alpha", "beta", "m_tile", "l_tile"};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '#'; }

template <std::size_t n>
bool is_in(const std::string_view (&words)[n], std::string_view word) {
  return std::find(words, words + n, word) != words + n;
}

Token kind_of(std::string_view name) {
  if (std::isdigit(static_cast<unsigned char>(name.front()))) return Token::number;
  if (is_in(keywords, name)) return Token::keyword;
  return is_in(tensors, name) ? Token::tensor : Token::plain;
}

Colour colour_of(const Frame& frame, const CodeToken& token) {
  const Theme& t = frame.theme;
  switch (token.kind) {
    case Token::comment: return t.muted;
    case Token::keyword: return mixed(t.selection, t.text, 0.45f);
    case Token::number:
    case Token::text: return t.good;
    case Token::tensor: {
      std::string name(token.words.substr(0, token.words.find('_')));
      if (name == "M") name = "m";
      return tensor_colour(t, name);
    }
    case Token::plain: break;
  }
  return t.text;
}

// A piece of a source line that fits the width.
struct Row {
  int line;
  int indent;  // characters
  std::string_view words;
};

int leading_spaces(std::string_view words) {
  const std::size_t at = words.find_first_not_of(' ');
  return static_cast<int>(at == std::string_view::npos ? 0 : at);
}

// Where a line of at most `most` characters ends: after a space or a comma where there is one.
std::size_t piece_length(std::string_view words, int most) {
  if (words.size() <= static_cast<std::size_t>(most)) return words.size();
  for (int n = most; n > most / 2; --n) {
    const char c = words[static_cast<std::size_t>(n - 1)];
    if (c == ' ' || c == ',') return static_cast<std::size_t>(n);
  }
  return static_cast<std::size_t>(most);
}

std::vector<Row> rows_of(std::string_view source, int columns) {
  std::vector<Row> rows;
  for (int line = 1; !source.empty(); ++line) {
    std::string_view words = take_line(source);
    int indent = std::min(leading_spaces(words), columns / 3);
    words.remove_prefix(static_cast<std::size_t>(leading_spaces(words)));
    do {
      const std::size_t length = piece_length(words, std::max(8, columns - indent));
      rows.push_back({line, indent, words.substr(0, length)});
      words.remove_prefix(length);
      if (rows.size() < 2 || rows[rows.size() - 2].line != line) indent = std::min(indent + 4, columns / 2);
    } while (!words.empty());
  }
  return rows;
}

void draw_row(const Frame& frame, const Row& row, ImVec2 at, float advance, bool first, float gutter,
              bool in_comment) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImFont* font = frame.fonts.mono_small;
  if (first) {
    const std::string number = std::to_string(row.line);
    list->AddText(font, font->FontSize, {at.x + gutter - advance * float(number.size() + 1), at.y},
                  mixed(frame.theme.panel, frame.theme.muted, 0.75f), number.data(),
                  number.data() + number.size());
  }
  float x = at.x + gutter + advance * float(row.indent);
  std::string_view rest = row.words;
  while (!rest.empty()) {
    CodeToken token = take_token(rest);
    if (in_comment) token.kind = Token::comment;
    list->AddText(font, font->FontSize, {x, at.y}, colour_of(frame, token), token.words.data(),
                  token.words.data() + token.words.size());
    x += advance * float(token.words.size());
  }
}

// To the lit line when it is another one than in the last frame; else the reader's own scrolling stands.
// Whole lines stay whole.
void scroll_to(float middle, float line, float height, int lit) {
  int* before = ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("lit"), -1);
  int* room = ImGui::GetStateStorage()->GetIntRef(ImGui::GetID("room"), -1);
  if (*before == lit && *room == int(height)) return;
  *before = lit;
  *room = int(height);
  ImGui::SetScrollY(line * std::max(0.0f, std::floor((middle - height * 0.42f) / line)));
}

}  // namespace

CodeToken take_token(std::string_view& line) {
  std::size_t length = 1;
  Token kind = Token::plain;
  if (line.starts_with("//")) {
    length = line.size();
    kind = Token::comment;
  } else if (line.front() == '"') {
    length = std::min(line.size(),
                      line.find('"', 1) == std::string_view::npos ? line.size() : line.find('"', 1) + 1);
    kind = Token::text;
  } else if (is_name(line.front())) {
    while (length < line.size() && is_name(line[length])) ++length;
    kind = kind_of(line.substr(0, length));
  } else {
    while (length < line.size() && !is_name(line[length]) && line[length] != '"' &&
           !line.substr(length).starts_with("//"))
      ++length;
  }
  const CodeToken token{kind, line.substr(0, length)};
  line.remove_prefix(length);
  return token;
}

void draw_code(const Frame& frame, const Box& box, const char* id, std::string_view source, int lit) {
  if (box.empty()) return;
  ImGui::SetCursorScreenPos(box.min);
  ImGui::BeginChild(id, box.size());
  const ImFont* font = frame.fonts.mono_small;
  const float advance = text_width("0", font), high = std::round(line_height(font) * 1.32f);
  const float gutter = advance * 5, width = box.width() - ImGui::GetStyle().ScrollbarSize;
  const auto rows = rows_of(source, std::max(12, static_cast<int>((width - gutter) / advance)));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({width, high * float(rows.size())});
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.line == lit; });
  if (found != rows.end()) scroll_to(high * float(found - rows.begin()), high, box.height(), lit);
  ImDrawList* list = ImGui::GetWindowDrawList();
  bool in_comment = false;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const bool first = n == 0 || rows[n - 1].line != rows[n].line;
    if (first) in_comment = false;
    const float y = std::floor(at.y + high * float(n));
    const bool begins_comment = rows[n].words.find("//") != std::string_view::npos;
    if (y + high > box.min.y && y < box.max.y) {
      if (rows[n].line == lit) {
        list->AddRectFilled({at.x, y}, {at.x + width, y + high}, with_alpha(frame.theme.selection, 0.28f));
        list->AddRectFilled({at.x, y}, {at.x + frame.px(3), y + high}, frame.theme.path);
      }
      draw_row(frame, rows[n], {at.x, std::floor(y + (high - line_height(font)) / 2)}, advance, first, gutter,
               in_comment);
    }
    in_comment = in_comment || begins_comment;
  }
  ImGui::EndChild();
}

}  // namespace tilewalk::viz
