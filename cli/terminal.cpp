#include "cli/terminal.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "cli/console.h"
#include "cli/interrupt.h"

namespace tilewalk {
namespace {

constexpr char escape = '\x1b', suspend_key = '\x1a';  // Ctrl-Z

bool more_follows() {
  constexpr int milliseconds = 30;  // the rest of an arrow key arrives at once
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, milliseconds) > 0;
}

// What follows the escape character of an arrow key.
std::string escape_sequence() {
  std::string sequence;
  char c = 0;
  while (more_follows() && read(STDIN_FILENO, &c, 1) == 1) {
    sequence += c;
    if (sequence.size() > 1 && (c == '~' || (c >= 'A' && c <= 'Z'))) break;
  }
  return sequence;
}

std::string key_of(const std::string& sequence) {
  if (sequence == "[C" || sequence == "OC") return "right";
  if (sequence == "[D" || sequence == "OD") return "left";
  if (sequence == "[H" || sequence == "OH" || sequence == "[1~") return "home";
  if (sequence == "[F" || sequence == "OF" || sequence == "[4~") return "end";
  return "escape";
}

}  // namespace

bool input_is_terminal() { return isatty(STDIN_FILENO) != 0; }

bool is_interactive() { return input_is_terminal() && isatty(STDOUT_FILENO) != 0; }

Terminal::Terminal() {
  tcgetattr(STDIN_FILENO, &old_);
  screen(true);
  keys_on();
}

Terminal::~Terminal() {
  keys_off();
  screen(false);
}

// Terminals have a second screen for programs like this one: what stood on the first comes back in the end.
void Terminal::screen(bool ours) {
  std::fputs(ours ? "\x1b[?1049h" : "\x1b[?1049l", stdout);
  std::fflush(stdout);
}

void Terminal::keys_on() {
  termios settings = old_;
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  settings.c_cc[VSUSP] =
      _POSIX_VDISABLE;  // Ctrl-Z arrives as a key, so that the terminal can be put in order first
  tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
}

void Terminal::keys_off() { tcsetattr(STDIN_FILENO, TCSADRAIN, &old_); }

void Terminal::suspend() {
  keys_off();
  screen(false);
  std::raise(SIGTSTP);
  screen(true);
  keys_on();
}

std::optional<std::string> Terminal::read_key() {
  flush_output();
  char c = 0;
  while (true) {
    throw_if_interrupted();
    const auto got = read(STDIN_FILENO, &c, 1);
    if (got == 0) return std::nullopt;
    if (got < 0 && errno != EINTR) return std::nullopt;
    if (got < 0) continue;
    if (c == suspend_key) {
      suspend();
      return "resume";
    }
    return c == escape ? key_of(escape_sequence()) : std::string(1, c);
  }
}

std::string Terminal::read_line(const std::string& prompt) {
  print(prompt);
  flush_output();
  keys_off();
  std::string line;
  char c = 0;
  while (!interrupted() && read(STDIN_FILENO, &c, 1) == 1 && c != '\n') line += c;
  keys_on();
  throw_if_interrupted();
  return line;
}

}  // namespace tilewalk
