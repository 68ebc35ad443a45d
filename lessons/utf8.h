// Reading UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tilewalk {

constexpr char32_t broken_utf8 = 0xFFFFFFFF;

// The next code point, split off. Bytes that are no UTF-8 give `broken_utf8`, one by one.
inline char32_t take_utf8(std::string_view& text) {
  const auto byte = [&](std::size_t n) { return static_cast<std::uint8_t>(text[n]); };
  const std::uint8_t first = byte(0);
  const std::size_t size = first < 0x80       ? 1
                           : first >> 5 == 6  ? 2
                           : first >> 4 == 14 ? 3
                           : first >> 3 == 30 ? 4
                                              : 0;
  char32_t point = size == 1 ? first : first & (0x7Fu >> size);
  bool sound = size > 0 && size <= text.size();
  for (std::size_t n = 1; sound && n < size; ++n) {
    sound = byte(n) >> 6 == 2;
    point = point << 6 | (byte(n) & 0x3Fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  sound = sound && point >= least[size] && point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
  text.remove_prefix(sound ? size : 1);
  return sound ? point : broken_utf8;
}

}  // namespace tilewalk
