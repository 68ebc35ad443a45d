// The whole picture.
#pragma once

#include "viz/box.h"
#include "viz/frame.h"

namespace tilewalk::viz {

// Between ImGui::NewFrame and ImGui::Render.
void draw_screen(const Frame& frame, ImVec2 size, Commands& commands);

}  // namespace tilewalk::viz
