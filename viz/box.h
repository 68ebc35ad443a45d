// A rectangle on the screen, in pixels, from which parts are cut.
#pragma once

#include <imgui.h>

#include <algorithm>

namespace tilewalk::viz {

struct Box {
  ImVec2 min, max;

  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
  ImVec2 size() const { return {width(), height()}; }
  ImVec2 centre() const { return {(min.x + max.x) / 2, (min.y + max.y) / 2}; }
  bool empty() const { return width() <= 0 || height() <= 0; }
  bool contains(ImVec2 p) const { return p.x >= min.x && p.x < max.x && p.y >= min.y && p.y < max.y; }

  Box inset(float by) const { return inset(by, by); }
  Box inset(float x, float y) const { return {{min.x + x, min.y + y}, {max.x - x, max.y - y}}; }
  Box moved(float x, float y) const { return {{min.x + x, min.y + y}, {max.x + x, max.y + y}}; }

  // Each cuts a part off this box and returns it. A part is never larger than what is there.
  Box cut_left(float width) {
    const float at = std::min(min.x + width, max.x);
    const Box part{min, {at, max.y}};
    min.x = at;
    return part;
  }
  Box cut_right(float width) {
    const float at = std::max(max.x - width, min.x);
    const Box part{{at, min.y}, max};
    max.x = at;
    return part;
  }
  Box cut_top(float height) {
    const float at = std::min(min.y + height, max.y);
    const Box part{min, {max.x, at}};
    min.y = at;
    return part;
  }
  Box cut_bottom(float height) {
    const float at = std::max(max.y - height, min.y);
    const Box part{{min.x, at}, max};
    max.y = at;
    return part;
  }
};

}  // namespace tilewalk::viz
