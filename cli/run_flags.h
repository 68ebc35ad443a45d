// The flags of run, step, compare, sweep and trace, as typed.
#pragma once

#include <string>

#include "cli/flags.h"

namespace tilewalk {

// As typed; a flag that was not given holds nothing.
struct RunFlags {
  Flag n, n_kv, d, heads, kv_heads, batch, dtype, mask, scale;  // the problem
  Flag tiling, block_q, block_kv, order, arch, sram;            // blocks and machine
  Flag seed, q, k, v, head, fault;                              // inputs
  bool count_only = false, json = false;
};

// `scale`: what the flag for the scale of the scores is called, where --scale means something else.
void add_problem_flags(CLI::App& app, RunFlags& flags, const char* scale = "--scale");
void add_machine_flags(CLI::App& app, RunFlags& flags);
void add_input_flags(CLI::App& app, RunFlags& flags);
void add_json_flag(CLI::App& app, bool& json);

// The notes on conventions that end the help text of every command with these flags.
std::string convention_notes();

}  // namespace tilewalk
