// What is on the screen as words of the program's command line, which show it again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "viz/run_request.h"
#include "viz/settings.h"

namespace tilewalk::viz {

struct ScreenState {
  std::span<const RunRequest> runs;  // on the same inputs
  std::uint64_t position;            // the first one's
  const Settings& settings;
  const Selection& selection;
  std::string lesson, step;     // "": none is open
  bool runs_of_lesson = false;  // the step says what runs
  std::string recorded;         // a recorded GPU run that the first run is held against; "": none
};

// {"view", "flash2", "--head", "induction", "--at", "event 300"}. What the program does anyway is left out;
// `complete` says all that somebody else's settings might have otherwise.
std::vector<std::string> view_words(const ScreenState& state, bool complete);

// "tilewalk view flash2 --head induction --at 'event 300'", for a POSIX shell.
std::string shell_line(std::span<const std::string> words);

}  // namespace tilewalk::viz
