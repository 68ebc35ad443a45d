#include "viz/strings.h"

namespace tilewalk::viz {
namespace {

#define TEXT(name, english, chinese) {#name, english, chinese},
constexpr StringRow table[] = {
#include "viz/strings.inc"
};
#undef TEXT

}  // namespace

std::span<const StringRow> string_table() { return table; }

std::string_view text(Str id, Language language) {
  const StringRow& row = table[static_cast<std::size_t>(id)];
  return language == Language::zh ? row.zh : row.en;
}

}  // namespace tilewalk::viz
