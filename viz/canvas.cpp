#include "viz/canvas.h"

#ifdef __EMSCRIPTEN__
#include <GLES3/gl3.h>
#else
#include <GLFW/glfw3.h>
#endif
#include <backends/imgui_impl_opengl3.h>

namespace tilewalk::viz {
namespace {

std::vector<Patch> whole(const ImDrawData& data) {
  return {{0, 0, int(data.DisplaySize.x), int(data.DisplaySize.y)}};
}

}  // namespace

bool Canvas::draw(UiContext& ui, App& app, bool afresh, const std::function<void()>& begin) {
  const bool new_fonts = ui.prepare(app);
  if (new_fonts) ImGui_ImplOpenGL3_DestroyFontsTexture();
  // The canvas has painted it; a second time would cost a software renderer a fifth of the frame.
  ImGui::GetStyle().Colors[ImGuiCol_WindowBg].w = 0;
  ImGui_ImplOpenGL3_NewFrame();  // makes a texture where there is none
  if (!ImGui::GetIO().Fonts->TexID) ImGui_ImplOpenGL3_CreateFontsTexture();
  begin();
  const auto start = WorkClock::now();
  const ImDrawData& data = *ui.draw(app);
  built_ = std::chrono::duration<double>(WorkClock::now() - start).count();
  return paint(data, theme_of(app.settings().theme).background, afresh || new_fonts);
}

bool Canvas::paint(const ImDrawData& data, Colour background, bool afresh) {
  if (afresh || !keeps_pixels_ || background != background_) damage_.forget();
  background_ = background;
  const std::vector<Patch> patches = keeps_pixels_ ? damage_.update(data) : whole(data);
  if (patches.empty()) return false;
  for (const Patch& patch : patches) clear(patch, data);
  ImDrawData part = keeps_pixels_ ? damage_.part(data, patches) : data;
  ImGui_ImplOpenGL3_RenderDrawData(&part);
  return true;
}

void Canvas::clear(const Patch& patch, const ImDrawData& data) const {
  const ImVec2 scale = data.FramebufferScale;
  const auto x = [&](int at) { return int(float(at) * scale.x); };
  const auto y = [&](int at) { return int((data.DisplaySize.y - float(at)) * scale.y); };
  glEnable(GL_SCISSOR_TEST);
  glScissor(x(patch.x0), y(patch.y1), x(patch.x1) - x(patch.x0), y(patch.y0) - y(patch.y1));
  glClearColor(float(background_ & 0xFF) / 255, float(background_ >> 8 & 0xFF) / 255,
               float(background_ >> 16 & 0xFF) / 255, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace tilewalk::viz
