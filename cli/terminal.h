// Single keys from a terminal.
#pragma once

#include <termios.h>

#include <optional>
#include <string>

namespace tilewalk {

// While it lives, keys arrive one by one and are not echoed, on a screen of its own. The terminal gets its
// old settings and contents back in the end.
class Terminal {
 public:
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // One key: a character, or "left", "right", "home", "end". Nothing at the end of input. Throws Interrupted.
  std::optional<std::string> read_key();
  // A line, with echo and editing.
  std::string read_line(const std::string& prompt);

 private:
  void keys_on();
  void keys_off();
  void suspend();
  static void screen(bool ours);

  termios old_ = {};
};

bool input_is_terminal();
bool is_interactive();  // standard input and output are terminals

}  // namespace tilewalk
