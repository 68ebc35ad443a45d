// Flags whose values are kept as typed, so that every one is checked in one place and in one wording.
#pragma once

#include <string>

#include "lessons/run_flags.h"

namespace CLI {
class App;
}

namespace tilewalk {

// "--name PLACEHOLDER  help", under a heading of the help text.
struct FlagText {
  const char *name, *placeholder, *help;
};
void add_flag(CLI::App& app, const char* heading, const FlagText& text, Flag& target);
void add_switch(CLI::App& app, const char* heading, const char* name, const char* help, bool& target);

// What the command line ends with: an example, then notes.
void set_footer(CLI::App& app, const std::string& text);

// Throws RequestError for a word or flag that no option took, with the nearest that exists.
void refuse_leftovers(const CLI::App& app);

// The value of a positional argument that must be there.
const std::string& required(const Flag& value, const char* what, const std::string& remedy);

}  // namespace tilewalk
