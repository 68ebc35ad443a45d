// The viewer's words, glyphs and colours.
#include <doctest/doctest.h>

#include <set>

#include "sim/timeline.h"
#include "tests/colour_vision.h"
#include "tests/plans.h"
#include "viz/fonts.h"
#include "viz/keys.h"
#include "viz/sentence.h"
#include "viz/strings.h"
#include "viz/text.h"
#include "viz/theme.h"

using namespace tilewalk;
using namespace tilewalk::viz;

namespace {

std::size_t places_in(std::string_view pattern) {
  std::size_t count = 0;
  for (auto at = pattern.find('{'); at != std::string_view::npos; at = pattern.find('{', at + 1)) ++count;
  return count;
}

bool is_chinese(std::string_view words) {
  while (!words.empty()) {
    const char32_t c = take_character(words);
    if (c >= 0x4E00 && c <= 0x9FFF) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("every text is there in both languages, with the same places for values") {
  std::set<std::string_view> names;
  for (const StringRow& row : string_table()) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(!row.en.empty());
    CHECK(!row.zh.empty());
    CHECK(!is_chinese(row.en));
    CHECK(places_in(row.en) == places_in(row.zh));
  }
}

TEST_CASE("every character that is used has a glyph, and so has all of GB 2312 level 1") {
  Characters used;
  for (const StringRow& row : string_table()) {
    used.need(row.en);
    used.need(row.zh);
  }
  for (const KeyRow& row : key_table()) used.need(row.shown);
  for (const char* name : {"l", "l_tile", "m_tile", "alpha", "beta"}) used.need(letter_of(name));
  for (const char32_t c : used.all()) {
    INFO("U+", std::hex, std::uint32_t(c));
    CHECK(has_glyph(c));
  }
  // The first and last of level 1 and some between; the font's make.sh takes the whole range.
  Characters level1;
  level1.need("啊阿埃座做坐作柞分块注意力显存带宽归约掩码教");
  for (const char32_t c : level1.all()) CHECK(has_glyph(c));
  CHECK(!has_glyph(U'\U0001F600'));
}

TEST_CASE("colours of tensors keep apart for every kind of sight, and can be read on their panel") {
  CHECK(difference({50, 2.6772, -79.7751}, {50, 0, -82.7485}) ==
        doctest::Approx(2.0425).epsilon(1e-4));  // of the paper
  for (const ThemeName name : {ThemeName::dark, ThemeName::light, ThemeName::contrast}) {
    const Theme& theme = theme_of(name);
    CHECK(theme.name == name);
    const TensorColours& t = theme.tensor;
    const Colour colours[] = {t.q, t.k, t.v, t.p, t.o, t.m, t.l};
    for (const Vision vision :
         {Vision::normal, Vision::protanopia, Vision::deuteranopia, Vision::tritanopia}) {
      for (const Colour& a : colours) {
        for (const Colour* b = &a + 1; b != std::end(colours); ++b) {
          INFO(theme_names[std::size_t(name)], " vision ", int(vision), " ", &a - colours, " ", b - colours);
          CHECK(difference(seen_by(vision, a), seen_by(vision, *b)) >= 10);
        }
      }
    }
    for (const Colour colour : colours) CHECK(contrast(colour, theme.panel) >= 4.5);
    for (const Colour colour :
         {theme.text, theme.muted, theme.strong, theme.good, theme.bad, theme.warning}) {
      CHECK(contrast(colour, theme.panel) >= 4.5);
      CHECK(contrast(colour, theme.bar) >= 4.5);
    }
    CHECK(contrast(theme.on_selection, theme.selection) >= 4.5);
  }
}

TEST_CASE("every event of every algorithm has words in both languages, with its numbers") {
  for (const auto name : algorithm_names()) {
    const auto plan = plan_of(std::string(name), problem_of({20, 20, 8}, DType::f16, "causal"), 8, 8);
    Timeline timeline(plan);
    timeline.each(0, timeline.size(), [&](const Event& e) {
      const std::string en = event_words(e, *plan, Language::en), zh = event_words(e, *plan, Language::zh);
      CHECK(!en.empty());
      CHECK((e.op == Op::gemm || is_chinese(zh)));
      if (e.op != Op::load && e.op != Op::store) return;
      const auto bytes =
          std::uint64_t(e.rows) * std::uint64_t(e.cols) * size_of(plan->tensors[e.tensor].type);
      CHECK(en.find(grouped(bytes) + " B") != std::string::npos);
      CHECK(zh.find(grouped(bytes) + " B") != std::string::npos);
    });
  }
}

TEST_CASE("broken UTF-8 is a replacement character, never a crash") {
  std::string_view text = "a\xE4\xB8z\xFF\xC3";
  std::u32string characters;
  while (!text.empty()) characters += take_character(text);
  CHECK(characters == U"a\uFFFD\uFFFDz\uFFFD\uFFFD");
}
