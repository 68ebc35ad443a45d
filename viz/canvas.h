// An OpenGL surface that the app is drawn on, in the current context: a window's, or a page's.
#pragma once

#include <functional>

#include "viz/damage.h"
#include "viz/ui_context.h"

namespace tilewalk::viz {

// Draws frames, or what changed of them.
class Canvas {
 public:
  // `keeps_pixels`: what was drawn is still there when the next frame begins, and drawing less is worth
  // looking for what changed, as in software renderers.
  explicit Canvas(bool keeps_pixels) : keeps_pixels_(keeps_pixels) {}

  // One frame. `begin`: the window library's part of it. `afresh`: what is on the screen cannot be built
  // upon. Returns whether there was anything to draw.
  bool draw(UiContext& ui, App& app, bool afresh, const std::function<void()>& begin);

  double built() const { return built_; }  // seconds that the last frame took to build, before it was drawn

 private:
  bool paint(const ImDrawData& data, Colour background, bool afresh);
  void clear(const Patch& patch, const ImDrawData& data) const;

  bool keeps_pixels_;
  Damage damage_;
  Colour background_ = 0;
  double built_ = 0;
};

}  // namespace tilewalk::viz
