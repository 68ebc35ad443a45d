// Checks of the texts of a picture: each can be read.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "viz/drawn_text.h"

namespace tilewalk::viz {

// Texts of one another's place: what is drawn over another text cannot be read. "" when there are none.
inline std::string overlap_in(const std::vector<DrawnText>& texts) {
  for (std::size_t a = 0; a < texts.size(); ++a) {
    for (std::size_t b = a + 1; b < texts.size(); ++b) {
      const Box &x = texts[a].box, &y = texts[b].box;
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
