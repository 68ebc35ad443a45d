// From the command line's request to the viewer's.
#include "cli/viewer.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/output_file.h"
#include "sim/error.h"
#include "viz/viewer.h"

namespace tilewalk {
namespace {

template <std::size_t n>
std::size_t index_of(const std::string& name, const std::string_view (&known)[n]) {
  for (std::size_t at = 0; at < n; ++at) {
    if (known[at] == name) return at;
  }
  return 0;
}

// What flags say goes before what was chosen in the last window.
void take_settings(const ViewRequest& request, viz::Settings& settings) {
  if (request.scale) settings.scale = *request.scale;
  if (request.projector) settings.projector = *request.projector;
  if (request.answers) settings.answers = *request.answers;
  if (request.speed) settings.speed = *request.speed;
  if (request.step_size)
    settings.step = static_cast<StepSize>(index_of(*request.step_size, viz::step_size_names));
  if (request.language)
    settings.language = static_cast<Language>(index_of(*request.language, language_codes));
  if (request.theme) settings.theme = static_cast<viz::ThemeName>(index_of(*request.theme, viz::theme_names));
}

viz::ViewerOptions options_of(const ViewRequest& request, const viz::KeptSettings& kept = {}) {
  viz::ViewerOptions options;
  options.settings = kept.settings;
  options.settings_file = kept.file;
  options.notice = kept.notice;
  for (const Algorithm* algorithm : request.algorithms)
    options.runs.push_back(viz::run_request_of(request.run, *algorithm));
  options.lesson = request.lesson;
  options.step = request.step;
  options.reveal = request.reveal;
  options.at = request.at;
  options.width = request.width;
  options.height = request.height;
  take_settings(request, options.settings);
  if (!request.views.empty()) options.settings.raised.clear();  // a picture is to look the same everywhere
  for (const std::string& name : request.views) options.raised.push_back(viz::view_named(name));
  options.selection.row = request.row;
  options.selection.field = request.field;
  if (request.values)
    options.selection.tile = static_cast<viz::TileShown>(index_of(*request.values, viz::tile_shown_names));
  options.recorded = request.recorded;
  return options;
}

std::vector<std::string> write_screenshot(const ViewRequest& request) {
  OutputFile file(request.screenshot, "--screenshot");
  const bool svg = request.screenshot.ends_with(".svg");
  file.write(viz::draw_picture(options_of(request), svg ? viz::PictureKind::svg : viz::PictureKind::png));
  file.commit();
  return {request.screenshot};
}

std::vector<std::string> write_gif(const ViewRequest& request) {
  OutputFile file(request.out, "--out");
  file.write(viz::draw_gif(options_of(request), request.frames->first, request.frames->second,
                           [](std::uint64_t) { throw_if_interrupted(); }));
  file.commit();
  return {request.out};
}

std::vector<std::string> write_frames(const ViewRequest& request) {
  std::error_code failed;
  std::filesystem::create_directories(request.out, failed);
  if (failed)
    throw RequestError("--out " + typed(request.out) + ": cannot be created (" + failed.message() +
                       "); name another folder");
  std::vector<std::string> written;
  viz::draw_pictures(options_of(request), viz::PictureKind::png, request.frames->first,
                     request.frames->second, [&](std::uint64_t step, const std::string& bytes) {
                       throw_if_interrupted();
                       const auto path =
                           std::filesystem::path(request.out) / fmt::format("frame_{:06}.png", step);
                       write_file_atomically(path, bytes, "--out");
                       written.push_back(path.string());
                     });
  return written;
}

}  // namespace

std::vector<std::string> view(const ViewRequest& request) {
  if (!request.screenshot.empty()) return write_screenshot(request);
  if (request.frames) return request.out.ends_with(".gif") ? write_gif(request) : write_frames(request);
  try {
    viz::show_window(options_of(request, viz::kept_settings()), interrupted);
  } catch (const viz::NoWindow& error) {
    throw Unavailable("view: " + std::string(error.what()));
  }
  return {};
}

}  // namespace tilewalk
