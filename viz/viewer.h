// The viewer as the command line sees it.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "viz/run_request.h"
#include "viz/settings.h"

namespace tilewalk::viz {

// Throws RequestError with the nearest name.
ViewId view_named(std::string_view name);

// There is no display, or no OpenGL. One line: what is missing and what to try.
struct NoWindow : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ViewerOptions {
  std::vector<RunRequest> runs;  // one to three; none: the lesson says what runs
  std::string at;                // where to begin, in words; "": the start, or where the lesson's step stands
  Settings settings;
  Selection selection;
  std::vector<ViewId> raised;  // to the front, beyond the settings'; the latest last
  int width = 1600, height = 900;
  bool playing = false;  // a window begins to play at once
  std::string recorded;  // a GPU run to hold the model against, of the program's or a file; "": none
  // A lesson, and a step of it; "": none. OpenLesson says what they may be.
  std::string lesson, step;
  bool reveal = false;        // the answer to the step's question
  std::string settings_file;  // where a window keeps its settings; "": nowhere
  std::string notice;         // for the window to begin with
};

enum class PictureKind : std::uint8_t { png, svg };

// Draws the picture without a window. Throws RequestError when a run cannot be opened or has no such place.
std::string draw_picture(const ViewerOptions& options, PictureKind kind);

// Draws one picture a step, of the settings' step size, from step `first` to `last` of the run's, and hands
// each on with its number. Ends early at the end of the run.
void draw_pictures(const ViewerOptions& options, PictureKind kind, std::uint64_t first, std::uint64_t last,
                   const std::function<void(std::uint64_t step, const std::string& bytes)>& take);

// The same range as an animated GIF. `took` is called after each step.
std::string draw_gif(const ViewerOptions& options, std::uint64_t first, std::uint64_t last,
                     const std::function<void(std::uint64_t step)>& took);

// A window's settings as they were last, and where they are kept. Defaults where there are none yet.
struct KeptSettings {
  Settings settings;
  std::string file, notice;  // notice: what was wrong with the file
};
KeptSettings kept_settings();

// Opens the window and returns when it is closed. `stop` is asked between frames. Throws NoWindow.
void show_window(const ViewerOptions& options, const std::function<bool()>& stop);

}  // namespace tilewalk::viz
