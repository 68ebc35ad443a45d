#include "lessons/prose.h"

#include <algorithm>
#include <span>

namespace tilewalk {
namespace {

constexpr std::string_view allowed_words[] = {
    "16-bit",    "16 bit",        "16 位",         "32-bit",  "32 bit",   "32 位",  "64-bit",     "64 位",
    "Fig. 1",    "Fig. 2",        "图 1",          "图 2",    "Alg. 0",   "Alg. 1", "算法 0",     "算法 1",
    "算法 8.1",  "Algorithm 8.1", "Table 1",       "Table 3", "Table 21", "表 1",   "表 3",       "表 21",
    "Theorem 2", "定理 2",        "Proposition 3", "命题 3",  "2022",     "2023",   "MLPerf 1.1", "O(1)"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// H200, flash2, FlashAttention-2, GPT-2: a digit that a name leads to.
bool belongs_to_name(std::string_view text, std::size_t at) {
  if (at == 0) return false;
  if (is_letter(text[at - 1])) return true;
  return text[at - 1] == '-' && at > 1 && is_letter(text[at - 2]);
}

std::string without_allowed(std::string text) {
  for (const std::string_view words : allowed_words) {
    for (auto at = text.find(words); at != std::string::npos; at = text.find(words, at + words.size())) {
      const bool longer = at + words.size() < text.size() && is_digit(text[at + words.size()]);
      if (!longer) std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), words.size(), ' ');
    }
  }
  return text;
}

// Words in a row, each one of several; "" among them makes it optional. Not std::regex: its matching takes a
// stack frame a character, and a lesson file may be long.
using OneOf = std::vector<std::string_view>;
using Pattern = std::vector<OneOf>;

// How long the match at the beginning of `text` is; npos: there is none.
std::size_t match_length(std::string_view text, std::span<const OneOf> pattern) {
  if (pattern.empty()) return 0;
  for (const std::string_view word : pattern[0]) {
    if (!text.starts_with(word)) continue;
    const std::size_t rest = match_length(text.substr(word.size()), pattern.subspan(1));
    if (rest != std::string_view::npos) return word.size() + rest;
  }
  return std::string_view::npos;
}

// The first match of each pattern.
std::vector<std::string> matches(std::string_view text, const std::vector<Pattern>& patterns) {
  std::vector<std::string> found;
  for (const Pattern& pattern : patterns) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t length = match_length(text.substr(at), pattern);
      if (length == std::string_view::npos) continue;
      found.emplace_back(text.substr(at, length));
      break;
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> bare_figures(const Piece& piece) {
  std::vector<std::string> found;
  if (piece.kind == PieceKind::number) return found;
  const std::string text = without_allowed(piece.text);
  for (std::size_t n = 0; n < text.size();) {
    if (!is_digit(text[n])) {
      ++n;
      continue;
    }
    std::size_t end = n;
    while (end < text.size() &&
           (is_digit(text[end]) || (text[end] == '.' && end + 1 < text.size() && is_digit(text[end + 1]))))
      ++end;
    // In a formula, a coefficient or an exponent: at most two digits, and no unit behind.
    const bool coefficient = piece.kind == PieceKind::math && end - n <= 2;
    if (!coefficient && !belongs_to_name(text, n)) found.push_back(text.substr(n, end - n));
    n = end;
  }
  return found;
}

std::vector<std::string> forbidden_words(std::string_view text) {
  static const OneOf normalises = {"softmax",     "normalise",     "normalize",    "normalised",
                                   "normalized",  "normalises",    "normalizes",   "normalising",
                                   "normalizing", "normalisation", "normalization"};
  static const std::vector<Pattern> patterns = {
      {{"O(1)"}},
      {normalises,
       {" "},
       {"of ", "for ", "over ", "in ", ""},
       {"each ", "every ", "one "},
       {"tile ", "block "},
       {"by itself", "on itself", "for itself", "on its own"}},
      {normalises, {" tile by tile", " block by block", " per tile", " per block"}},
      {{"逐块", "每块", "每个块", "按块"}, {"各自", ""}, {"做", "进行", ""}, {"归一化", "softmax"}}};
  return matches(text, patterns);
}

std::vector<std::string> forbidden_of_fused(std::string_view text) {
  static const OneOf moves = {"writes ", "write ", "written ", "stores ", "store ",
                              "stored ", "reads ", "read ",    "loads ",  "load "};
  static const OneOf mark = {"`", ""}, space = {" ", ""}, matrix = {"S", "P"};
  static const std::vector<Pattern> patterns = {{moves,
                                                 mark,
                                                 matrix,
                                                 mark,
                                                 {" and ", ""},
                                                 mark,
                                                 {"P", ""},
                                                 mark,
                                                 {" back ", " "},
                                                 {"to HBM", "in HBM", "into HBM", "from HBM"}},
                                                {{"把", "将"},
                                                 space,
                                                 mark,
                                                 matrix,
                                                 mark,
                                                 space,
                                                 {"和", "、", ""},
                                                 space,
                                                 mark,
                                                 {"P", ""},
                                                 mark,
                                                 space,
                                                 {"写回", "写到", "写入", "存到", "存入"},
                                                 space,
                                                 {"HBM"}}};
  return matches(text, patterns);
}

std::vector<Written> everything_written(const Lesson& lesson) {
  std::vector<Written> all;
  for (const LessonStep& step : lesson.steps) {
    for (const Language language : {Language::en, Language::zh}) {
      const auto add = [&](const Both<Markup>& markup, int line, bool taught) {
        all.push_back({&step, language, &markup.in(language), line, taught});
      };
      add(step.text, step.line, true);
      if (!step.prediction) continue;
      const Prediction& p = *step.prediction;
      add(p.ask, p.line, true);
      add(p.why, p.line, true);
      for (const Choice& choice : p.choices) {
        add(choice.text, choice.line, choice.right);
        add(choice.why, choice.line, choice.right);
      }
      for (const Trap& trap : p.traps) add(trap.why, trap.line, false);
    }
  }
  return all;
}

}  // namespace tilewalk
