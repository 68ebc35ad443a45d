// Pictures of a run without a window.
#include <algorithm>

#include "sim/anchor.h"
#include "sim/error.h"
#include "viz/gif.h"
#include "viz/image.h"
#include "viz/ui_context.h"
#include "viz/viewer.h"

namespace tilewalk::viz {
namespace {

constexpr std::chrono::hours patience{24};  // whoever waits for a picture waits until it is there

// Opens what was asked for, goes to the place, and waits for it.
void begin_and_wait(App& app, const ViewerOptions& options) {
  viz::begin(app, options);
  app.settle(patience);
  app.settle(patience);
  // Red ticks and what a GPU did belong to the picture; nothing else that goes on in the background does.
  const bool compared =
      std::any_of(options.runs.begin(), options.runs.end(), [](const auto& r) { return r.fault; });
  if (compared || !options.recorded.empty() || !options.lesson.empty()) app.rest(patience);
  if (const GpuStatus* gpu = app.frame({}).gpu; gpu && !gpu->error.empty()) throw RequestError(gpu->error);
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
  begin_and_wait(app, options);
  return picture_of(app, size_of(options), kind);
}

namespace {

// Calls take(step) for each step of the range, with the app there.
template <class F>
void each_step(App& app, std::uint64_t first, std::uint64_t last, F take) {
  for (std::uint64_t step = 0; step <= last; ++step) {
    if (step >= first) take(step);
    const RunFrame run = app.frame({}).runs.front();
    if (run.moment.position >= run.facts.size) return;
    app.apply(Step{1});
    app.settle(patience);
  }
}

}  // namespace

void draw_pictures(const ViewerOptions& options, PictureKind kind, std::uint64_t first, std::uint64_t last,
                   const std::function<void(std::uint64_t, const std::string&)>& take) {
  App app(options.settings, options.selection);
  UiContext ui;
  begin_and_wait(app, options);
  each_step(app, first, last,
            [&](std::uint64_t step) { take(step, picture_in(ui, app, size_of(options), kind)); });
}

std::string draw_gif(const ViewerOptions& options, std::uint64_t first, std::uint64_t last,
                     const std::function<void(std::uint64_t)>& took) {
  App app(options.settings, options.selection);
  UiContext ui;
  begin_and_wait(app, options);
  Gif gif;
  const int delay = std::max(2, static_cast<int>(100 / options.settings.speed));
  each_step(app, first, last, [&](std::uint64_t step) {
    gif.add(rasterise(*ui.draw_still(app, size_of(options)), ui.atlas()), delay);
    took(step);
  });
  return gif.bytes();
}

}  // namespace tilewalk::viz
