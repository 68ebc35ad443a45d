// The flags of run, step, compare, sweep and trace, as typed.
#pragma once

#include <string>

#include "cli/flags.h"
#include "lessons/run_flags.h"

namespace tilewalk {

// `scale`: what the flag for the scale of the scores is called, where --scale means something else.
void add_problem_flags(CLI::App& app, RunFlags& flags, const char* scale = "--scale");
void add_machine_flags(CLI::App& app, RunFlags& flags);
void add_input_flags(CLI::App& app, RunFlags& flags);
void add_json_flag(CLI::App& app, bool& json);

// The notes on conventions that end the help text of every command with these flags.
std::string convention_notes();

}  // namespace tilewalk
