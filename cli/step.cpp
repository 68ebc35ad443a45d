// tilewalk step: a walk through a run, forward and back, by keys or by piped commands.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/progress_line.h"
#include "cli/shown_tiles.h"
#include "cli/step_commands.h"
#include "cli/step_view.h"
#include "cli/terminal.h"
#include "sim/anchor.h"
#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

struct Flags {
  RunFlags run;
  Flag algorithm, at, show, npy;
};

Walk begin_walk(const Flags& flags) {
  const Algorithm& algorithm = algorithm_named(
      required(flags.algorithm, "step: the algorithm", "name one, e.g. 'tilewalk step flash2 --arch toy'"));
  const Request request = resolve(flags.run);
  const auto plan = plan_for(request, algorithm);
  std::optional<Inputs> inputs;
  if (!request.count_only) inputs = inputs_for(request, *plan, Timeline::memory_needed(*plan));
  ProgressLine progress("counting events");
  Walk walk{Timeline(plan, inputs ? &*inputs : nullptr, progress.callback()), default_shown(*plan)};
  if (flags.show) walk.shown = parse_shown(*flags.show, *plan);
  if (flags.at) walk.seek(find_anchor(walk.timeline, *flags.at));
  return walk;
}

// ---- Piped commands ----

// The next line of standard input.
std::optional<std::string> read_line() {
  std::string line;
  int c = std::getchar();
  while (c != EOF && c != '\n') {
    line += static_cast<char>(c);
    c = std::getchar();
  }
  throw_if_interrupted();
  if (c == EOF && line.empty()) return std::nullopt;
  return line;
}

bool is_empty(std::string_view line) {
  const auto word = take_word(line);
  return word.empty() || word[0] == '#';
}

void run_piped(Walk& walk, bool quiet) {
  const auto frame = [&] {
    if (!quiet) print(frame_text(walk.timeline, walk.shown, false) + "\n");
  };
  frame();
  int number = 0;
  while (!walk.ended) {
    flush_output();
    auto line = read_line();
    if (!line) return;
    ++number;
    if (line->ends_with('\r')) line->pop_back();
    if (is_empty(*line)) continue;
    try {
      run_step_command(walk, *line);
    } catch (const RequestError& error) {
      throw RequestError(
          fmt::format("step: line {} of the commands, '{}': {}", number, shown(*line), error.what()));
    }
    if (!walk.ended && !line->starts_with("help")) frame();
  }
}

// ---- Keys ----

struct Key {
  std::string_view key, command, help;
};
constexpr Key keys[] = {{"n", "next", "n or right: an operation forward"},
                        {"right", "next", ""},
                        {" ", "next", ""},
                        {"p", "back", "p or left: an operation back"},
                        {"left", "back", ""},
                        {"t", "tile", "t / T: a tile forward / back"},
                        {"T", "tile-back", ""},
                        {"r", "loop", "r / R: an inner loop forward / back"},
                        {"R", "loop-back", ""},
                        {"k", "kernel", "k / K: a kernel forward / back"},
                        {"K", "kernel-back", ""},
                        {"home", "at start", "Home / End: to the start / the end"},
                        {"end", "at end", ""},
                        {"g", "", "g: go to a place, e.g. load K 2, tile 2 1, event 120"},
                        {"s", "", "s: choose what to show, e.g. m,l,O,S"},
                        {"?", "", "?: these keys"},
                        {"q", "quit", "q: quit"}};

std::string key_help() {
  std::string text;
  for (const Key& key : keys) text += key.help.empty() ? "" : std::string(key.help) + "\n";
  return text;
}

// The command behind a key; "" when it is none. Some ask for a line first.
std::string command_of(const std::string& pressed, Terminal& terminal) {
  if (pressed == "g") return "at " + terminal.read_line("go to: ");
  if (pressed == "s") return "show " + terminal.read_line("show: ");
  for (const Key& key : keys) {
    if (key.key == pressed) return std::string(key.command);
  }
  return "";
}

void run_interactive(Walk& walk) {
  Terminal terminal;
  std::string message = "? shows the keys";
  while (!walk.ended) {
    print("\x1b[H\x1b[2J" + frame_text(walk.timeline, walk.shown, output_is_terminal()) + "\n" + message +
          "\n");
    const auto pressed = terminal.read_key();
    if (!pressed) break;
    message = *pressed == "?" ? key_help() : "";
    try {
      const std::string command = command_of(*pressed, terminal);
      if (!command.empty()) run_step_command(walk, command);
    } catch (const RequestError& error) {
      message = error.what();
    }
  }
}

int step_command(const Flags& flags) {
  Walk walk = begin_walk(flags);
  const bool json = flags.run.json;
  if (is_interactive() && !json) {
    run_interactive(walk);
    print(frame_text(walk.timeline, walk.shown, output_is_terminal()));
  } else if (input_is_terminal()) {
    if (!json) print(frame_text(walk.timeline, walk.shown, false));
  } else {
    run_piped(walk, json);
  }
  if (flags.npy) write_shown(walk, *flags.npy);
  if (json) print(json_text(frame_json(walk.timeline, walk.shown)));
  return exit_done;
}

std::string command_help() {
  std::string text;
  for (const StepCommand& command : step_commands()) {
    text +=
        fmt::format("  {:<18}  {}\n", fmt::format("{} {}", command.name, command.arguments), command.help);
  }
  return text;
}

}  // namespace

Action add_step(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  add_flag(app, "Algorithm", {"ALGORITHM", "", "see 'tilewalk list algorithms'"}, flags->algorithm);
  add_flag(app, "Walk", {"--at", "WORDS", "begin at a place, e.g. 'load K 2' [start]"}, flags->at);
  add_flag(app, "Walk", {"--show", "A,B,...", "tiles to show; hbm:O is the tensor [m,l,O,S]"}, flags->show);
  add_flag(app, "Walk", {"--npy", "FOLDER", "at the end, write what is shown as .npy files"}, flags->npy);
  add_problem_flags(app, flags->run);
  add_machine_flags(app, flags->run);
  add_input_flags(app, flags->run);
  add_json_flag(app, flags->run.json);
  set_footer(
      app,
      "Example: tilewalk step flash2 --arch toy\n"
      "         printf 'at load K 2\\nnext 3\\nback\\n' | tilewalk step flash1 --arch toy --show m,l,O\n"
      "Keys in a terminal:\n  n p operation forward, back (also arrows); t T tile; r R inner loop; k K "
      "kernel;\n"
      "  g go to a place; s choose what to show; ? help; q quit\n"
      "Commands, one a line, when standard input is no terminal:\n" +
          command_help() + "--json prints the last position only.\n" + convention_notes());
  return [flags] { return step_command(*flags); };
}

}  // namespace tilewalk
