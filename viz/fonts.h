// The fonts: Noto Sans for words, DejaVu Sans Mono with its equally wide figures for numbers and code,
// WenQuanYi Micro Hei for Chinese. Subsets of them are part of the program (viz/fonts).
#pragma once

#include <set>
#include <string_view>

struct ImFont;
struct ImFontAtlas;

namespace tilewalk::viz {

struct Fonts {
  ImFont *body = nullptr, *small = nullptr, *heading = nullptr, *mono = nullptr, *mono_small = nullptr;
};

// The characters beyond ASCII that are drawn. Only these are put into the atlas: all of GB 2312 at every size
// would take a second to draw and tens of megabytes to hold.
class Characters {
 public:
  void need(std::string_view utf8);
  const std::set<char32_t>& all() const { return all_; }

 private:
  std::set<char32_t> all_;
};

// Calls take(character) for each of a UTF-8 text; a broken one is U+FFFD.
char32_t take_character(std::string_view& utf8);

// Fills the atlas anew. `pixels`: that a length of 1 takes.
Fonts build_fonts(ImFontAtlas& atlas, const Characters& characters, float pixels);

// Whether some file of viz/fonts has the character, for words and for code.
bool has_glyph(char32_t character);

}  // namespace tilewalk::viz
