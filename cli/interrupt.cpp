#include "cli/interrupt.h"

#include <csignal>
#include <ctime>
#include <initializer_list>

#include "cli/exit_code.h"

namespace tilewalk {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;
volatile std::time_t asked_at = 0;

// Shells and `timeout` may send the same signal twice at once; only one that comes later is meant to kill.
void ask_to_stop(int signal) {
  constexpr std::time_t patience = 2;  // seconds
  if (!asked_to_stop) {
    asked_at = std::time(nullptr);
    asked_to_stop = 1;
  } else if (std::time(nullptr) - asked_at >= patience) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

void handle_signals() {
  struct sigaction action = {};
  action.sa_handler = ask_to_stop;  // without SA_RESTART, so that waiting for a key or a pipe ends too
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old = {};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup and background jobs stay so
  }
  std::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() { return asked_to_stop != 0; }

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

}  // namespace tilewalk
