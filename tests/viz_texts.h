// What must not be seen in a picture: texts over one another, or cut off. Each returns the first such text,
// or "".
#pragma once

#include <string>
#include <vector>

#include "viz/drawn_text.h"

namespace tilewalk::viz {

// What is left of a text by its window's edges.
inline Box seen_of(const DrawnText& t) {
  return {{std::max(t.box.min.x, t.clip.min.x), std::max(t.box.min.y, t.clip.min.y)},
          {std::min(t.box.max.x, t.clip.max.x), std::min(t.box.max.y, t.clip.max.y)}};
}

// Texts of one another's place: what is drawn over another text cannot be read.
inline std::string overlap_in(const std::vector<DrawnText>& texts) {
  for (std::size_t a = 0; a < texts.size(); ++a) {
    for (std::size_t b = a + 1; b < texts.size(); ++b) {
      const Box x = seen_of(texts[a]), y = seen_of(texts[b]);
      const float w = std::min(x.max.x, y.max.x) - std::max(x.min.x, y.min.x);
      const float h = std::min(x.max.y, y.max.y) - std::max(x.min.y, y.min.y);
      if (w > 1 && h > 1) return "'" + texts[a].text + "' and '" + texts[b].text + "'";
    }
  }
  return "";
}

// A text that its window cuts off at the left or right. Above and below it may be: panels scroll.
inline std::string cut_in(const std::vector<DrawnText>& texts) {
  for (const DrawnText& t : texts) {
    const bool seen = t.box.max.y > t.clip.min.y && t.box.min.y < t.clip.max.y;
    if (seen && (t.box.min.x < t.clip.min.x - 0.5f || t.box.max.x > t.clip.max.x + 0.5f)) return t.text;
  }
  return "";
}

}  // namespace tilewalk::viz
