#include "viz/numbers.h"

#include <fmt/format.h>

#include <cmath>

#include "viz/text.h"

namespace tilewalk::viz {
namespace {

constexpr std::string_view minus = "−", space = "\u00A0";

// Of what printf made: the sign, and the zeros of an exponent.
std::string tidied(std::string text) {
  for (const std::string_view zeros : {"e-0", "e+0", "e+"}) {
    const std::size_t at = text.find(zeros);
    if (at != std::string::npos) text.replace(at, zeros.size(), zeros[1] == '-' ? "e-" : "e");
  }
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at))
    text.replace(at, 1, minus);
  return text;
}

std::string special(float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  return value == 0 ? "0" : "";
}

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) take_character(text);
  return count;
}

std::string with_unit(double value, std::string_view unit) {
  const std::string digits = value == std::floor(value) || value >= 1000
                                 ? grouped(static_cast<std::uint64_t>(std::llround(value)))
                                 : fmt::format("{:.1f}", value);
  return digits + std::string(space) + std::string(unit);
}

}  // namespace

std::string number(float value) {
  if (const std::string word = special(value); !word.empty()) return word;
  const float size = std::abs(value);
  if (size < 0.0005f || size >= 1e6f) return tidied(fmt::format("{:.1e}", value));
  const int decimals = size < 10 ? 3 : size < 100 ? 2 : size < 1000 ? 1 : 0;
  return tidied(fmt::format("{:.{}f}", value, decimals));
}

std::string short_number(float value, int characters) {
  const auto fits = [&](const std::string& text) {
    return characters_in(text) <= static_cast<std::size_t>(std::max(0, characters));
  };
  if (const std::string word = special(value); !word.empty()) return fits(word) ? word : "";
  for (int decimals = 3; decimals >= 0; --decimals) {
    std::string text = tidied(fmt::format("{:.{}f}", value, decimals));
    if (fits(text)) return text;
    const std::size_t zero = text.find("0.");
    if (zero == 0 || (zero != std::string::npos && text.starts_with(minus) && zero == minus.size()))
      text.erase(zero, 1);
    if (fits(text)) return text;
  }
  return "";
}

std::string amount(std::uint64_t bytes) {
  constexpr std::uint64_t mb = 1'000'000, gb = 1000 * mb;
  constexpr std::string_view units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  if (bytes >= gb && bytes % gb == 0) return with_unit(double(bytes / gb), "GB");
  if (bytes >= mb && bytes % mb == 0) return with_unit(double(bytes / mb), "MB");
  auto value = double(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) value /= 1024, ++unit;
  return with_unit(std::round(value * 10) / 10, units[unit]);
}

std::string rate(double bytes_a_second) {
  return bytes_a_second >= 1e13 ? with_unit(bytes_a_second / 1e12, "TB/s")
                                : with_unit(std::round(bytes_a_second / 1e8) / 10, "GB/s");
}

}  // namespace tilewalk::viz
