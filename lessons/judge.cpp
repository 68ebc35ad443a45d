// Answers to predictions.
#include <cmath>
#include <optional>

#include "lessons/fill.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

struct Factor {
  std::string_view name;
  double factor;
};
// Longest first where one begins another.
constexpr Factor factors[] = {{"kib", 1024}, {"mib", 0x1p20}, {"gib", 0x1p30}, {"kb", 1e3},  {"mb", 1e6},
                              {"gb", 1e9},   {"tb", 1e12},    {"us", 1e-6},    {"ms", 1e-3}, {"ns", 1e-9},
                              {"%", 0.01},   {"k", 1e3},      {"m", 1e6},      {"g", 1e9},   {"b", 1},
                              {"s", 1},      {"x", 1}};

// Digits may be grouped by spaces, commas or no-break spaces; − and ∞ are read too.
std::string plain(std::string_view answer) {
  std::string text;
  for (std::size_t n = 0; n < answer.size(); ++n) {
    const std::string_view rest = answer.substr(n);
    const auto skip = [&](std::string_view sign, std::string_view instead) {
      if (!rest.starts_with(sign)) return false;
      text += instead;
      n += sign.size() - 1;
      return true;
    };
    if (skip("\u00A0", "") || skip("\u2212", "-") || skip("\u221E", "inf") || skip("\u00D7", "x") ||
        skip("\u00B5", "u") || skip(" ", "") || skip(",", "") || skip("\t", ""))
      continue;
    text += static_cast<char>(answer[n] >= 'A' && answer[n] <= 'Z' ? answer[n] - 'A' + 'a' : answer[n]);
  }
  return text;
}

std::optional<double> fraction(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return parse_number<double>(text);
  const auto above = parse_number<double>(text.substr(0, slash)),
             below = parse_number<double>(text.substr(slash + 1));
  return above && below ? std::optional<double>(*above / *below) : std::nullopt;
}

std::optional<double> read_number(std::string_view answer) {
  const std::string text = plain(answer);
  if (const auto number = fraction(text)) return number;
  for (const Factor& unit : factors) {
    if (!std::string_view(text).ends_with(unit.name)) continue;
    if (const auto number = fraction(std::string_view(text).substr(0, text.size() - unit.name.size())))
      return *number * unit.factor;
  }
  return std::nullopt;
}

// Half a step of the answer as it is shown counts as equal: nobody has to type sixteen figures.
bool is_near(double answer, double truth, double tolerance) {
  if (answer == truth) return true;
  return std::abs(answer - truth) <= std::max(tolerance, 5e-4) * std::abs(truth);
}

Judgement judge_number(const ShownPrediction& p, std::string_view answer) {
  auto number = read_number(answer);
  if (!number || std::isnan(*number)) return {};
  // Who is asked for a percentage may leave out the sign.
  if (p.format == "percent" && std::abs(*number) > 1 && answer.find('%') == std::string_view::npos)
    *number /= 100;
  if (is_near(*number, p.number.number, p.tolerance)) return {true, true, p.why};
  for (const ShownTrap& trap : p.traps) {
    if (is_near(*number, trap.number, p.tolerance)) return {true, false, trap.why};
  }
  return {true, false, p.why};
}

Judgement judge_tile(const ShownPrediction& p, std::string_view answer) {
  std::string text(answer);
  for (char& c : text) c = c >= '0' && c <= '9' ? c : ' ';
  std::string_view rest = text;
  const auto row = parse_number<std::int64_t>(take_word(rest)),
             col = parse_number<std::int64_t>(take_word(rest));
  if (!row || !col || !take_word(rest).empty()) return {};
  if (*row == p.row && *col == p.col) return {true, true, p.why};
  for (const ShownTrap& trap : p.traps) {
    if (*row == trap.row && *col == trap.col) return {true, false, trap.why};
  }
  return {true, false, p.why};
}

Judgement judge_choice(const ShownPrediction& p, std::string_view answer) {
  const std::string text = plain(answer);
  for (const ShownChoice& choice : p.choices) {
    if (text.size() == 1 && text[0] == choice.letter) return {true, choice.right, choice.why};
  }
  return {};
}

}  // namespace

Judgement judge(const ShownPrediction& prediction, std::string_view answer) {
  switch (prediction.kind) {
    case PredictionKind::number: return judge_number(prediction, answer);
    case PredictionKind::tile: return judge_tile(prediction, answer);
    case PredictionKind::choice: return judge_choice(prediction, answer);
  }
  return {};
}

}  // namespace tilewalk
