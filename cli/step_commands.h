// The commands of `tilewalk step`: the same for piped lines and for keys.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/progress_line.h"
#include "sim/timeline.h"

namespace tilewalk {

// A walk through a run: where it is, and what it shows.
struct Walk {
  Timeline timeline;
  std::vector<std::string> shown;
  bool ended = false;

  // Goes there, showing progress on a long way; Ctrl-C leaves it in the middle.
  void seek(std::uint64_t position) { timeline.seek(position, ProgressLine("stepping").callback()); }
};

struct StepCommand {
  std::string_view name, arguments, help;
  void (*run)(Walk& walk, std::string_view arguments);
};
std::span<const StepCommand> step_commands();

// Carries out one line, such as "next 3" or "at load K 2". Throws RequestError and leaves the walk where it
// was.
void run_step_command(Walk& walk, std::string_view line);

// Writes what is shown to FOLDER/NAME.npy; tensors whole, tiles as far as they are valid.
void write_shown(Walk& walk, const std::string& folder);

}  // namespace tilewalk
