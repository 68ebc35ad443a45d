// Colours. One for a tensor everywhere; letters and hatching say the same again for those who do not see
// them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "viz/settings.h"

namespace tilewalk::viz {

using Colour = std::uint32_t;  // as ImU32: 0xAABBGGRR

// 0xRRGGBB as people write it.
constexpr Colour rgb(std::uint32_t hex) {
  return 0xFF000000u | (hex & 0xFF) << 16 | (hex & 0xFF00) | (hex >> 16 & 0xFF);
}
constexpr Colour with_alpha(Colour colour, float alpha) {
  return (colour & 0xFFFFFFu) | static_cast<Colour>(alpha * 255 + 0.5f) << 24;
}
// `part` of b, the rest of a.
constexpr Colour mixed(Colour a, Colour b, float part) {
  Colour result = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const float x = float(a >> shift & 0xFF), y = float(b >> shift & 0xFF);
    result |= static_cast<Colour>(x + (y - x) * part + 0.5f) << shift;
  }
  return result;
}

struct TensorColours {
  Colour q, k, v, p, o, m, l;  // p: scores and weights, S too; l: the row sums, alpha and beta too
};

struct Theme {
  ThemeName name;
  Colour background, bar, panel,
      inset;                         // behind panels; of the top and bottom bars; of panels; of boxes in them
  Colour line, text, muted, strong;  // strong: headings and the numbers that matter
  Colour selection, on_selection;    // of buttons and the current line
  Colour done, to_come, masked, current, path;  // of tiles
  Colour good, bad, warning;
  TensorColours tensor;
};

const Theme& theme_of(ThemeName name);

// The colour of a tensor or tile, by its name in the algorithm's tables. `text` where it has none.
Colour tensor_colour(const Theme& theme, std::string_view name);

// Sets Dear ImGui's own colours and sizes. `pixels`: that a length of 1 takes.
void apply_style(const Theme& theme, float pixels);

}  // namespace tilewalk::viz
