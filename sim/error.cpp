#include "sim/error.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tilewalk {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string shown(std::string_view words) {
  constexpr std::size_t most = 64;
  std::string text(words.substr(0, most));
  for (char& c : text) c = static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
  return words.size() > most ? text + "..." : text;
}

std::string typed(std::string_view value) { return value.empty() ? "''" : shown(value); }

std::string nearest(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t longest_worth_comparing = 64;
  if (word.empty() || word.size() > longest_worth_comparing) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const auto candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string unknown_name(std::string_view what, std::string_view word,
                         std::span<const std::string_view> known) {
  std::string text = "unknown " + std::string(what) + " '" + shown(word) + "'";
  const std::string guess = nearest(word, known);
  text += guess.empty() ? ";" : "; did you mean '" + guess + "'?";
  text += " Known: ";
  for (std::size_t n = 0; n < known.size(); ++n) text += (n ? ", " : "") + std::string(known[n]);
  return text;
}

}  // namespace tilewalk
