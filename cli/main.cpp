// tilewalk: attention, tile by tile, on a GPU's memory hierarchy.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <map>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/flags.h"
#include "cli/interrupt.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

std::string unknown_command(const std::string& word) {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  if (word.starts_with("-"))
    return "unknown flag '" + shown(word) + "'; flags follow a command, see 'tilewalk --help'";
  return unknown_name("command", shown(word), names);
}

// CLI11 describes errors in its own words, sometimes on several lines.
std::string in_one_line(const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    return text.substr(0, text.find(':')) + ": needs exactly one value, given once; see --help";
  }
  return text + "; see --help";
}

// CLI11 leaves up to two blank lines between groups.
std::string tidied(std::string text) {
  for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at))
    text.erase(at, 1);
  return text;
}

int dispatch(int argc, char** argv) {
  CLI::App app("tilewalk: attention, tile by tile, on a GPU's memory hierarchy", "tilewalk");
  app.require_subcommand(0, 1);
  app.allow_extras();
  app.set_version_flag("--version", "tilewalk " TILEWALK_VERSION);
  set_footer(app, "Example: tilewalk compare\nEvery command has --help with an example, and --json.");
  std::map<const CLI::App*, Action> actions;
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary)->allow_extras();
    actions[sub] = command.add(*sub);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(tidied(app.help()));
    return exit_done;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return exit_done;
  } catch (const CLI::ParseError& error) {
    throw RequestError(in_one_line(error));
  }
  const auto chosen = app.get_subcommands();
  if (!app.remaining().empty()) throw RequestError(unknown_command(app.remaining().front()));
  if (chosen.empty()) throw RequestError("a command is missing; try 'tilewalk compare' or 'tilewalk --help'");
  if (!chosen.front()->get_prefix_command()) refuse_leftovers(*chosen.front());
  return actions.at(chosen.front())();
}

// A file opened later must not take the place of a standard stream that the caller closed.
void reserve_standard_streams() {
  while (true) {
    const int opened = open("/dev/null", O_RDONLY);
    if (opened > 2) {
      close(opened);
      return;
    }
    if (opened < 0) return;
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  reserve_standard_streams();
  handle_signals();
  try {
    const int code = dispatch(argc, argv);
    flush_output();
    return code;
  } catch (...) {
    return report_current_exception();
  }
}

}  // namespace tilewalk

int main(int argc, char** argv) { return tilewalk::run_program(argc, argv); }
