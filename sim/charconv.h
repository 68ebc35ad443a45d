// Numbers to text and back, as std::from_chars and std::to_chars do. For floating-point numbers these are
// missing from some standard libraries (libc++ before 20, and so Emscripten's); there the C library does the
// same.
#pragma once

#include <cerrno>
#include <charconv>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace tilewalk {

// By the C library; the results are those of <charconv>.
template <std::floating_point Number>
std::from_chars_result read_with_c(const char* first, const char* last, Number& value) {
  const std::string text(first, last);
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const auto refused = std::from_chars_result{first, std::errc::invalid_argument};
  // What strto* takes beyond numbers in decimal.
  if (text.size() == sign || text.find_first_of(" \t\n\v\f\r+-", sign) == sign) return refused;
  const bool hexadecimal = text.size() > sign + 1 && text[sign] == '0' && (text[sign + 1] | 0x20) == 'x';
  const std::string decimal = hexadecimal ? text.substr(0, sign + 1) : text;
  char* end = nullptr;
  errno = 0;
  const Number read = sizeof(Number) == sizeof(float) ? Number(std::strtof(decimal.c_str(), &end))
                                                      : Number(std::strtod(decimal.c_str(), &end));
  const auto length = end - decimal.c_str();
  if (length == 0) return refused;
  const bool is_zero_or_infinite = read == 0 || read - read != 0;
  if (errno == ERANGE && is_zero_or_infinite) return {first + length, std::errc::result_out_of_range};
  value = read;
  return {first + length, std::errc{}};
}

// The fewest digits that read back the same, in the shorter of both notations.
template <std::floating_point Number>
std::string text_with_c(Number value) {
  char scientific[64], fixed[512];
  if (value != value) return std::string_view("-nan").substr(__builtin_signbit(value) ? 0 : 1).data();
  int digits = 0;
  Number read{};
  do {
    const int length = std::snprintf(scientific, sizeof scientific, "%.*e", digits++, double(value));
    read_with_c(scientific, scientific + length, read);
  } while (read != value && digits < std::numeric_limits<Number>::max_digits10);
  const std::string_view text = scientific;
  const std::size_t e = text.find('e');
  if (e == text.npos) return scientific;  // inf
  const int exponent = std::atoi(scientific + e + 1), after_point = digits - 1 - exponent;
  std::snprintf(fixed, sizeof fixed, "%.*f", after_point > 0 ? after_point : 0, double(value));
  return std::string_view(fixed).size() <= text.size() ? fixed : scientific;
}

template <class Number>
std::from_chars_result read_number(const char* first, const char* last, Number& value) {
#ifndef __cpp_lib_to_chars
  if constexpr (std::floating_point<Number>)
    return read_with_c(first, last, value);
  else
#endif
    return std::from_chars(first, last, value);
}

// Shortest text that reads back the same.
template <class Number>
std::string number_text(Number value) {
#ifndef __cpp_lib_to_chars
  if constexpr (std::floating_point<Number>)
    return text_with_c(value);
  else
#endif
  {
    char buffer[64];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  }
}

}  // namespace tilewalk
