// A Dear ImGui context with the fonts and the style for an App's settings. Knows no window: tests and
// pictures without a display use it as it is.
#pragma once

#include <imgui.h>

#include "viz/app.h"

namespace tilewalk::viz {

class UiContext {
 public:
  UiContext();
  ~UiContext();
  UiContext(const UiContext&) = delete;
  UiContext& operator=(const UiContext&) = delete;

  // Makes fonts and style for the settings; returns whether the atlas is new, so that its texture must be
  // made again.
  bool prepare(const App& app);
  // One frame, after prepare(): draws, and lets the app carry out what was asked for. With a window, its back
  // end's NewFrame comes before.
  ImDrawData* draw(App& app);
  // prepare() and draw() without a window. Three times, because a panel learns in one frame
  // how large its content is, and in the next how much room a scroll bar leaves.
  // `smooth` draws edges with a fringe of falling opacity, which a rasteriser wants and an SVG does not.
  ImDrawData* draw_still(App& app, ImVec2 size, bool smooth = true);

  const ImFontAtlas& atlas() const;

 private:
  ImGuiContext* before_;  // current again in the end
  ImGuiContext* context_;
  Fonts fonts_;
  float pixels_ = 0;
  std::size_t characters_ = 0;
};

}  // namespace tilewalk::viz
