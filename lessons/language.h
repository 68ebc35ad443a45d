// The languages that lessons are written in.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilewalk {

enum class Language : std::uint8_t { en, zh };

constexpr std::string_view language_codes[] = {"en", "zh"};

// The same thing in both.
template <class T>
struct Both {
  std::array<T, 2> of;
  const T& in(Language language) const { return of[static_cast<std::size_t>(language)]; }
  T& in(Language language) { return of[static_cast<std::size_t>(language)]; }
};

}  // namespace tilewalk
