#include "viz/fonts.h"

#include <imgui.h>
#include <stb_truetype.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "viz/font_files.h"

namespace tilewalk::viz {
namespace {

std::string_view font_file(std::string_view name) {
  for (const auto& file : font_data::files()) {
    if (file.path.substr(file.path.rfind('/') + 1) == name) return file.bytes;
  }
  throw std::logic_error("no font file " + std::string(name));
}

// Dear ImGui keeps the pointer until the atlas is built, and no longer.
ImVector<ImWchar> ranges_of(const Characters& characters) {
  ImFontGlyphRangesBuilder builder;
  for (ImWchar c = 0x20; c < 0x7F; ++c) builder.AddChar(c);
  for (const char32_t c : characters.all()) {
    if (c <= 0xFFFF) builder.AddChar(static_cast<ImWchar>(c));
  }
  ImVector<ImWchar> ranges;
  builder.BuildRanges(&ranges);
  return ranges;
}

struct Part {
  const char* file;
  float size;  // of its line, where that of letters is 1
  int oversample;
};

// The first file that has a character gives it.
ImFont* add_font(ImFontAtlas& atlas, std::initializer_list<Part> parts, float size, const ImWchar* ranges) {
  ImFont* font = nullptr;
  for (const Part& part : parts) {
    const std::string_view bytes = font_file(part.file);
    ImFontConfig config;
    config.FontData = const_cast<char*>(bytes.data());
    config.FontDataSize = static_cast<int>(bytes.size());
    config.FontDataOwnedByAtlas = false;
    config.SizePixels = std::round(size * part.size);
    config.GlyphRanges = ranges;
    config.OversampleH = part.oversample;
    config.OversampleV = 1;
    config.PixelSnapH = part.oversample == 1;
    config.MergeMode = font != nullptr;
    font = atlas.AddFont(&config);
  }
  return font;
}

bool file_has(std::string_view name, char32_t character) {
  const std::string_view bytes = font_file(name);
  stbtt_fontinfo info;
  return stbtt_InitFont(&info, reinterpret_cast<const unsigned char*>(bytes.data()), 0) != 0 &&
         stbtt_FindGlyphIndex(&info, static_cast<int>(character)) != 0;
}

}  // namespace

char32_t take_character(std::string_view& utf8) {
  const auto byte = [&](std::size_t n) { return static_cast<unsigned char>(utf8[n]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
  bool sound = length > 0 && length <= utf8.size();
  char32_t character = length == 1 ? first : first & (0x7Fu >> length);
  for (std::size_t n = 1; sound && n < length; ++n) {
    sound = (byte(n) & 0xC0) == 0x80;
    character = character << 6 | (byte(n) & 0x3F);
  }
  utf8.remove_prefix(sound ? length : 1);
  return sound ? character : U'\uFFFD';
}

void Characters::need(std::string_view utf8) {
  while (!utf8.empty()) {
    const char32_t c = take_character(utf8);
    if (c >= 0x80) all_.insert(c);
  }
}

Fonts build_fonts(ImFontAtlas& atlas, const Characters& characters, float pixels) {
  atlas.Clear();
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  const ImVector<ImWchar> ranges = ranges_of(characters);
  const auto sans = [&](float size) {
    return add_font(atlas, {{"sans.ttf", 1.22f, 2}, {"symbols.ttf", 1.08f, 1}, {"cjk.ttf", 1.1f, 1}},
                    size * pixels, ranges.Data);
  };
  const auto mono = [&](float size) {
    return add_font(atlas, {{"mono.ttf", 1.1f, 2}, {"symbols.ttf", 1.08f, 1}, {"cjk.ttf", 1.1f, 1}},
                    size * pixels, ranges.Data);
  };
  Fonts fonts{sans(15), sans(12.5f), sans(20), mono(14), mono(12)};
  atlas.Build();
  return fonts;
}

bool has_glyph(char32_t character) {
  const bool words =
      file_has("sans.ttf", character) || file_has("symbols.ttf", character) || file_has("cjk.ttf", character);
  const bool code =
      file_has("mono.ttf", character) || file_has("symbols.ttf", character) || file_has("cjk.ttf", character);
  return words && code;
}

}  // namespace tilewalk::viz
