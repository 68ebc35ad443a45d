#include "viz/drawn_text.h"

#include <cmath>

namespace tilewalk::viz {
namespace {

void append_utf8(std::string& text, char32_t c) {
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xC0 | c >> 6);
    text += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    text += static_cast<char>(0xE0 | c >> 12);
    text += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (c & 0x3F));
  }
}

float advance_of(const DrawnGlyph& glyph) {
  return glyph.font->FindGlyph(static_cast<ImWchar>(glyph.character))->AdvanceX;
}

// Spaces leave no mark but their width.
bool continues(const DrawnGlyph& before, const DrawnGlyph& after, float& gap) {
  gap = after.origin.x - before.origin.x - advance_of(before);
  return before.font == after.font && before.colour == after.colour &&
         std::abs(before.origin.y - after.origin.y) < 0.5f && gap > -0.75f &&
         gap < 3.5f * before.font->FindGlyph(' ')->AdvanceX;
}

void extend(Box& box, const Box& with) {
  box.min = {std::min(box.min.x, with.min.x), std::min(box.min.y, with.min.y)};
  box.max = {std::max(box.max.x, with.max.x), std::max(box.max.y, with.max.y)};
}

}  // namespace

GlyphFinder::GlyphFinder(const ImFontAtlas& atlas) {
  for (const ImFont* font : atlas.Fonts) {
    for (const ImFontGlyph& glyph : font->Glyphs) {
      if (glyph.Visible) by_corner_[{glyph.U0, glyph.V0}] = {font, &glyph};
    }
  }
}

bool GlyphFinder::find(const ImDrawVert* corner, DrawnGlyph& glyph) const {
  const auto found = by_corner_.find({corner[0].uv.x, corner[0].uv.y});
  if (found == by_corner_.end()) return false;
  const auto& [font, of_font] = found->second;
  if (corner[2].uv.x != of_font->U1 || corner[2].uv.y != of_font->V1) return false;
  glyph.font = font;
  glyph.character = of_font->Codepoint;
  glyph.box = {corner[0].pos, corner[2].pos};
  glyph.origin = {corner[0].pos.x - of_font->X0, corner[0].pos.y - of_font->Y0};
  glyph.colour = corner[0].col;
  return true;
}

std::vector<DrawnGlyph> drawn_glyphs(const ImDrawData& data, const ImFontAtlas& atlas) {
  const GlyphFinder finder(atlas);
  std::vector<DrawnGlyph> glyphs;
  for (int n = 0; n < data.CmdListsCount; ++n) {
    const ImDrawList& list = *data.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
      const ImDrawVert* vertex = list.VtxBuffer.Data + command.VtxOffset;
      for (unsigned i = 0; i + 5 < command.ElemCount; i += 3) {
        DrawnGlyph glyph;
        // A glyph is two triangles 0 1 2, 0 2 3.
        if (index[i + 3] != index[i] || index[i + 5] != index[i] + 3 ||
            !finder.find(&vertex[index[i]], glyph))
          continue;
        const ImVec4& clip = command.ClipRect;
        glyph.clip = {{clip.x, clip.y}, {clip.z, clip.w}};
        glyphs.push_back(glyph);
        i += 3;
      }
    }
  }
  return glyphs;
}

std::vector<DrawnText> drawn_texts(const ImDrawData& data, const ImFontAtlas& atlas) {
  std::vector<DrawnText> texts;
  const DrawnGlyph* before = nullptr;
  const auto glyphs = drawn_glyphs(data, atlas);
  for (const DrawnGlyph& glyph : glyphs) {
    float gap = 0;
    if (before && continues(*before, glyph, gap)) {
      const float space = glyph.font->FindGlyph(' ')->AdvanceX;
      texts.back().text.append(static_cast<std::size_t>(std::max(0.0f, std::round(gap / space))), ' ');
      extend(texts.back().box, glyph.box);
    } else {
      texts.push_back({"", glyph.box, glyph.clip, glyph.colour});
    }
    append_utf8(texts.back().text, glyph.character);
    before = &glyph;
  }
  return texts;
}

}  // namespace tilewalk::viz
