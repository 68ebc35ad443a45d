// The string table. Both languages of every text stand side by side in strings.inc.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "viz/settings.h"

namespace tilewalk::viz {

#define TEXT(name, english, chinese) name,
enum class Str : std::uint16_t {
#include "viz/strings.inc"
};
#undef TEXT

struct StringRow {
  std::string_view name, en, zh;
};
std::span<const StringRow> string_table();

std::string_view text(Str id, Language language);

// The text with its places filled in.
template <class... Values>
std::string filled(Str id, Language language, const Values&... values) {
  const std::string_view pattern = text(id, language);
  return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()), fmt::make_format_args(values...));
}

}  // namespace tilewalk::viz
