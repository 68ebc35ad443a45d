// The words in a picture, read back from Dear ImGui's draw data. Tests assert on them, and an SVG is made
// from them.
#pragma once

#include <imgui.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "viz/box.h"

namespace tilewalk::viz {

struct DrawnGlyph {
  const ImFont* font;
  char32_t character;
  Box box;        // that the character covers
  ImVec2 origin;  // where the line begins for it: left, top of the line
  ImU32 colour;
  Box clip;  // what lies outside is not seen
};

// Tells which glyph a quad of the draw data is, by where its picture lies in the atlas.
class GlyphFinder {
 public:
  explicit GlyphFinder(const ImFontAtlas& atlas);
  // The quad's four corners start at `corner`, in Dear ImGui's order. False when it is no glyph.
  bool find(const ImDrawVert* corner, DrawnGlyph& glyph) const;

 private:
  std::map<std::pair<float, float>, std::pair<const ImFont*, const ImFontGlyph*>> by_corner_;
};

// In the order in which they were drawn.
std::vector<DrawnGlyph> drawn_glyphs(const ImDrawData& data, const ImFontAtlas& atlas);

// A line of text as it was drawn: glyphs that follow one another on a line, in one font and colour.
struct DrawnText {
  std::string text;
  Box box, clip;
  ImU32 colour;
};
std::vector<DrawnText> drawn_texts(const ImDrawData& data, const ImFontAtlas& atlas);

}  // namespace tilewalk::viz
