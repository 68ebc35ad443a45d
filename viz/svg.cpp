#include <fmt/format.h>
#include <stb_truetype.h>

#include <cmath>
#include <map>
#include <set>

#include "viz/drawn_text.h"
#include "viz/fonts.h"
#include "viz/image.h"

namespace tilewalk::viz {
namespace {

std::string number(float value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string fill_of(ImU32 colour) {
  std::string text =
      fmt::format("fill=\"#{:02x}{:02x}{:02x}\"", colour & 0xFF, colour >> 8 & 0xFF, colour >> 16 & 0xFF);
  if (colour >> 24 < 255) text += fmt::format(" fill-opacity=\"{:.3g}\"", double(colour >> 24) / 255);
  return text;
}

// A glyph's outline in units of its font, y down.
struct Outline {
  std::string path;
  float scale;  // pixels a unit

  Outline(const ImFontConfig& source, char32_t character) {
    stbtt_fontinfo font;
    stbtt_InitFont(&font, static_cast<const unsigned char*>(source.FontData), 0);
    scale = stbtt_ScaleForPixelHeight(&font, source.SizePixels);
    stbtt_vertex* vertices = nullptr;
    const int count = stbtt_GetCodepointShape(&font, static_cast<int>(character), &vertices);
    for (int n = 0; n < count; ++n) add(vertices[n]);
    if (!path.empty()) path += 'Z';
    stbtt_FreeShape(&font, vertices);
  }

 private:
  void add(const stbtt_vertex& v) {
    if (v.type == STBTT_vmove) path += fmt::format("{}M{} {}", path.empty() ? "" : "Z", v.x, -v.y);
    if (v.type == STBTT_vline) path += fmt::format("L{} {}", v.x, -v.y);
    if (v.type == STBTT_vcurve) path += fmt::format("Q{} {} {} {}", v.cx, -v.cy, v.x, -v.y);
  }
};

// The first file of the font that has the character, as when the atlas was made.
const ImFontConfig* source_of(const DrawnGlyph& glyph) {
  for (int n = 0; n < glyph.font->ConfigDataCount; ++n) {
    const ImFontConfig& source = glyph.font->ConfigData[n];
    stbtt_fontinfo font;
    if (stbtt_InitFont(&font, static_cast<const unsigned char*>(source.FontData), 0) != 0 &&
        stbtt_FindGlyphIndex(&font, static_cast<int>(glyph.character)) != 0)
      return &source;
  }
  return nullptr;
}

// Draw commands in the order of the picture. Triangles of one colour that share their first corner are one
// polygon, as Dear ImGui makes them.
class Writer {
 public:
  explicit Writer(const ImFontAtlas& atlas) : finder_(atlas) {}

  void add(const ImDrawList& list, const ImDrawCmd& command) {
    begin_clip(command.ClipRect);
    const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
    const ImDrawVert* vertex = list.VtxBuffer.Data + command.VtxOffset;
    for (unsigned i = 0; i + 2 < command.ElemCount;) {
      DrawnGlyph glyph;
      const bool quad = i + 5 < command.ElemCount && index[i + 3] == index[i] && index[i + 5] == index[i] + 3;
      if (quad && finder_.find(&vertex[index[i]], glyph)) {
        add_glyph(glyph);
        i += 6;
      } else {
        i += add_polygon(vertex, index + i, command.ElemCount - i);
      }
    }
    body_ += "</g>\n";
  }

  std::string document(ImVec2 size) const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\">\n<defs>\n{2}"
        "</defs>\n<rect width=\"{0}\" height=\"{1}\"/>\n{3}</svg>\n",
        int(size.x), int(size.y), defs_, body_);
  }

 private:
  void begin_clip(const ImVec4& r) {
    const std::string rect = fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", number(r.x),
                                         number(r.y), number(r.z - r.x), number(r.w - r.y));
    const auto [at, is_new] = clips_.emplace(rect, clips_.size());
    if (is_new) defs_ += fmt::format("<clipPath id=\"c{}\"><rect {}/></clipPath>\n", at->second, rect);
    body_ += fmt::format("<g clip-path=\"url(#c{})\">\n", at->second);
  }

  unsigned add_polygon(const ImDrawVert* vertex, const ImDrawIdx* index, unsigned count) {
    const auto& first = vertex[index[0]];
    std::string path = point("M", first) + point("L", vertex[index[1]]) + point("L", vertex[index[2]]);
    unsigned used = 3;
    while (used + 2 < count && index[used] == index[0] && index[used + 1] == index[used - 1] &&
           vertex[index[used + 2]].col == first.col) {
      path += point("L", vertex[index[used + 2]]);
      used += 3;
    }
    body_ += fmt::format("<path {} d=\"{}Z\"/>\n", fill_of(first.col), path);
    return used;
  }
  static std::string point(const char* verb, const ImDrawVert& v) {
    return verb + number(v.pos.x) + " " + number(v.pos.y);
  }

  void add_glyph(const DrawnGlyph& glyph) {
    const ImFontConfig* source = source_of(glyph);
    if (!source) return;
    const std::string id =
        fmt::format("g{:x}{}", std::uint32_t(glyph.character), is_mono(glyph.font) ? "m" : "");
    Outline outline(*source, glyph.character);
    if (glyphs_.insert(id).second) defs_ += fmt::format("<path id=\"{}\" d=\"{}\"/>\n", id, outline.path);
    const float x = glyph.origin.x + source->GlyphOffset.x;
    const float y = glyph.origin.y + source->GlyphOffset.y + std::round(glyph.font->Ascent);
    body_ += fmt::format("<use href=\"#{}\" transform=\"translate({} {}) scale({:.5f})\" {}/>\n", id,
                         number(x), number(y), outline.scale, fill_of(glyph.colour));
  }
  static bool is_mono(const ImFont* font) {
    return font->FindGlyph('i')->AdvanceX == font->FindGlyph('W')->AdvanceX;
  }

  GlyphFinder finder_;
  std::map<std::string, std::size_t> clips_;
  std::set<std::string> glyphs_;
  std::string defs_, body_;
};

}  // namespace

std::string svg_of(const ImDrawData& data, const ImFontAtlas& atlas) {
  Writer writer(atlas);
  for (int n = 0; n < data.CmdListsCount; ++n) {
    const ImDrawList& list = *data.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.ElemCount > 0) writer.add(list, command);
    }
  }
  return writer.document(data.DisplaySize);
}

}  // namespace tilewalk::viz
