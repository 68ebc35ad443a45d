// How the program ends: DESIGN's exit codes, and the exceptions behind them.
#pragma once

#include <stdexcept>

namespace tilewalk {

constexpr int exit_done = 0;
constexpr int exit_disagrees = 1;      // the check failed
constexpr int exit_bad_request = 2;    // RequestError
constexpr int exit_unavailable = 3;    // Unavailable
constexpr int exit_interrupted = 130;  // Interrupted: 128 + SIGINT, as shells have it

// It cannot be done on this machine, or is not built in.
struct Unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// It was tried, and the device reported an error.
struct DeviceFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Ctrl-C. What was being written is left as it was.
struct Interrupted {};

// Called in a catch block: says on stderr, in one line, what went wrong, and returns the exit code for it.
int report_current_exception();

}  // namespace tilewalk
