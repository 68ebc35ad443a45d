// Which panel stands where. A function of the window's size, the scale and the places of the views.
#pragma once

#include <vector>

#include "viz/box.h"
#include "viz/settings.h"

namespace tilewalk::viz {

// A panel: one view, or several behind tabs.
struct Panel {
  Box box;
  std::vector<ViewId> views;
};

struct Layout {
  Box title, timeline;
  std::vector<Panel> panels;
};

// Several runs side by side need wider panels.
// An open lesson leads, and needs room for its text.
Layout layout_of(ImVec2 size, float pixels, std::size_t runs, bool lesson = false);

// The view of a panel that is seen: the one raised last, else the first.
ViewId seen(const Panel& panel, const Settings& settings);

}  // namespace tilewalk::viz
