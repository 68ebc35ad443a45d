// Pictures of a run without a window.
#include "sim/anchor.h"
#include "sim/error.h"
#include "viz/image.h"
#include "viz/ui_context.h"
#include "viz/viewer.h"

namespace tilewalk::viz {
namespace {

constexpr std::chrono::hours patience{24};  // whoever waits for a picture waits until it is there

// Opens the runs and goes to the place.
void begin(App& app, const ViewerOptions& options) {
  app.apply(OpenRuns{options.runs, options.at});
  app.settle(patience);
  app.settle(patience);
  const std::string_view notice = app.frame({}).notice;
  if (!notice.empty()) throw RequestError(std::string(notice));
}

// Draws into a context that is there already.
std::string picture_in(UiContext& ui, App& app, ImVec2 size, PictureKind kind) {
  const bool is_png = kind == PictureKind::png;
  const ImDrawData* data = ui.draw_still(app, size, is_png);
  return is_png ? png_of(rasterise(*data, ui.atlas())) : svg_of(*data, ui.atlas());
}

ImVec2 size_of(const ViewerOptions& options) { return {float(options.width), float(options.height)}; }

}  // namespace

std::string picture_of(App& app, ImVec2 size, PictureKind kind) {
  UiContext ui;
  return picture_in(ui, app, size, kind);
}

PictureKind kind_of(std::string_view path) {
  return path.ends_with(".svg") ? PictureKind::svg : PictureKind::png;
}

std::string draw_picture(const ViewerOptions& options, PictureKind kind) {
  App app(options.settings, options.selection);
  begin(app, options);
  return picture_of(app, size_of(options), kind);
}

void draw_pictures(const ViewerOptions& options, PictureKind kind, std::uint64_t first, std::uint64_t last,
                   const std::function<void(std::uint64_t, const std::string&)>& take) {
  App app(options.settings, options.selection);
  UiContext ui;
  begin(app, options);
  for (std::uint64_t step = 0; step <= last; ++step) {
    if (step >= first) take(step, picture_in(ui, app, size_of(options), kind));
    const RunFrame run = app.frame({}).runs.front();
    if (run.moment.position >= run.facts.size) return;
    app.apply(Step{1});
    app.settle(patience);
  }
}

}  // namespace tilewalk::viz
