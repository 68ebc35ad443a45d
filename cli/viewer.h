// What `tilewalk view` was asked for, and the viewer behind it, which may not be built in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"

namespace tilewalk {

struct ViewRequest {
  std::vector<const Algorithm*> algorithms;  // up to three, on the same inputs; none: the lesson's
  Request run;
  std::string at, screenshot, out, lesson, step;  // "": not asked for
  std::optional<std::pair<std::uint64_t, std::uint64_t>> frames;
  int width = 1600, height = 900;
  std::optional<float> scale;
  std::optional<bool> projector;
  std::optional<bool> answers;     // to a lesson's predictions, shown at once
  bool reveal = false;             // the answer to this step's, as if it had been asked for
  std::vector<std::string> views;  // to the front
  std::int64_t row = -1;           // of queries; -1: follows the current tile
  std::optional<std::string> language, theme, step_size, values;
  std::optional<float> speed;
  std::size_t field = 0;
  std::string recorded;  // a GPU's run to hold the model against; "": none
};

// Returns the files that were written. Throws Unavailable where the viewer is not built in, or there is no
// display.
std::vector<std::string> view(const ViewRequest& request);

}  // namespace tilewalk
