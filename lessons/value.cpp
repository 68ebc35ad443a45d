#include "lessons/value.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace tilewalk {
namespace {

constexpr const char *no_break_space = "\u00A0", *minus = "\u2212";

std::string printed(const char* pattern, int precision, double number) {
  std::array<char, 400> buffer;
  std::snprintf(buffer.data(), buffer.size(), pattern, precision, number);
  return buffer.data();
}

// "1234567.25" with no-break spaces between thousands.
std::string grouped_digits(const std::string& digits) {
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  std::string text;
  for (std::size_t n = 0; n < digits.size(); ++n) {
    if (n > 0 && n < whole && (whole - n) % 3 == 0 && whole > 4) text += no_break_space;
    text += digits[n];
  }
  return text;
}

std::string decimals(double number, int places) { return grouped_digits(printed("%.*f", places, number)); }

std::string power_of_ten(double exponent) {
  constexpr const char* digits[] = {"\u2070", "\u00B9", "\u00B2", "\u00B3", "\u2074",
                                    "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text = exponent < 0 ? "\u00B710\u207B" : "\u00B710";
  for (const char c : printed("%.*f", 0, std::abs(exponent))) text += digits[c - '0'];
  return text;
}

// To so many figures, without zeros at the end; never in powers of ten between 1e-4 and 1e15.
std::string figures(double number, int count) {
  if (number == 0) return "0";
  const double size = std::floor(std::log10(number) + 1e-12);
  if (size < -4 || size > 15) {
    const double factor = std::pow(10, size);
    return figures(number / factor, count) + power_of_ten(size);
  }
  std::string text = printed("%.*f", std::max(0, count - 1 - static_cast<int>(size)), number);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return grouped_digits(text);
}

struct Unit {
  const char* name;
  double size;
};

std::string in_units(double number, const Unit* units, std::size_t count) {
  const Unit* unit = units;
  for (std::size_t n = 1; n < count && number >= 0.9995 * units[n].size; ++n) unit = units + n;
  return figures(number / unit->size, 3) + (*unit->name ? no_break_space + std::string(unit->name) : "");
}

constexpr Unit bytes[] = {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"PB", 1e15}};
constexpr Unit counts[] = {{"", 1},     {"k", 1e3},  {"M", 1e6}, {"G", 1e9},
                           {"T", 1e12}, {"P", 1e15}, {"E", 1e18}};
constexpr Unit times[] = {{"ns", 1e-9}, {"\u00B5s", 1e-6}, {"ms", 1e-3}, {"s", 1}};

std::string format_positive(double number, std::string_view format) {
  const std::string space = no_break_space;
  if (format == "bytes") return in_units(number, bytes, std::size(bytes));
  if (format == "B") return decimals(number, 0) + space + "B";
  if (format == "percent") return figures(100 * number, 3) + space + "%";
  if (format == "x") return figures(number, 3) + space + "\u00D7";
  if (format == "time") return in_units(number, times, std::size(times));
  if (format == "count") return in_units(number, counts, std::size(counts));
  if (format == "sci") {
    if (number == 0 || (number >= 0.01 && number < 1e4)) return figures(number, 3);
    const double size = std::floor(std::log10(number));
    return figures(number / std::pow(10, size), 3) + power_of_ten(size);
  }
  if (format.size() == 2 && format[0] == '.') return decimals(number, format[1] - '0');
  return number == std::floor(number) && number < 1e15 ? decimals(number, 0) : figures(number, 4);
}

}  // namespace

bool is_number_format(std::string_view format) {
  for (const std::string_view known : {"", "bytes", "B", "percent", "x", "time", "count", "sci"}) {
    if (format == known) return true;
  }
  return format.size() == 2 && format[0] == '.' && format[1] >= '0' && format[1] <= '9';
}

std::string format_number(double number, std::string_view format) {
  if (std::isnan(number)) return "NaN";
  const std::string sign = number < 0 ? minus : "";
  if (std::isinf(number)) return sign + "\u221E";
  const std::string text = format_positive(std::abs(number), format);
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  return (is_zero ? "" : sign) + text;
}

std::string origin_words(const Origins& origins) {
  std::string text;
  const auto add = [&](bool there, const char* name) {
    if (there) text += (text.empty() ? "" : ", ") + std::string(name);
  };
  add(origins.model, "model");
  add(origins.theory, "theory");
  add(origins.measured, "measured");
  add(origins.published, "published");
  return text;
}

}  // namespace tilewalk
