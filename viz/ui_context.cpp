#include "viz/ui_context.h"

#include "viz/screen.h"

namespace tilewalk::viz {

UiContext::UiContext() : before_(ImGui::GetCurrentContext()), context_(ImGui::CreateContext()) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // settings are the app's
  io.LogFilename = nullptr;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // large meshes
}

// A picture is made while a window is open, and keys arrive for the window right after it.
UiContext::~UiContext() {
  ImGui::DestroyContext(context_);
  ImGui::SetCurrentContext(before_);
}

const ImFontAtlas& UiContext::atlas() const {
  ImGui::SetCurrentContext(context_);
  return *ImGui::GetIO().Fonts;
}

bool UiContext::prepare(const App& app) {
  ImGui::SetCurrentContext(context_);
  const float pixels = app.settings().pixels();
  apply_style(theme_of(app.settings().theme), pixels);
  if (pixels == pixels_ && app.characters().all().size() == characters_) return false;
  fonts_ = build_fonts(*ImGui::GetIO().Fonts, app.characters(), pixels);
  pixels_ = pixels;
  characters_ = app.characters().all().size();
  return true;
}

ImDrawData* UiContext::draw(App& app) {
  ImGui::NewFrame();
  Commands commands;
  ImGui::PushFont(fonts_.body);
  draw_screen(app.frame(fonts_), ImGui::GetIO().DisplaySize, commands);
  ImGui::PopFont();
  ImGui::Render();
  app.apply(commands);
  return ImGui::GetDrawData();
}

ImDrawData* UiContext::draw_still(App& app, ImVec2 size, bool smooth) {
  ImDrawData* data = nullptr;
  for (int n = 0; n < 3; ++n) {
    app.update(0);
    prepare(app);
    ImGui::GetStyle().AntiAliasedFill = ImGui::GetStyle().AntiAliasedLines = smooth;
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = size;
    io.DeltaTime = 1.0f / 60;
    data = draw(app);
  }
  return data;
}

}  // namespace tilewalk::viz
