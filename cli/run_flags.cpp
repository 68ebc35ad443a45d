#include "cli/run_flags.h"

namespace tilewalk {

void add_problem_flags(CLI::App& app, RunFlags& flags, const char* scale) {
  const char* heading = "Problem";
  add_flag(app, heading, {"--n", "N", "queries [1024]"}, flags.n);
  add_flag(app, heading, {"--n-kv", "N", "keys and values [as many as queries]"}, flags.n_kv);
  add_flag(app, heading, {"--d", "D", "size of a head [64]"}, flags.d);
  add_flag(app, heading, {"--heads", "H", "query heads [1]"}, flags.heads);
  add_flag(app, heading, {"--kv-heads", "H", "key/value heads, must divide --heads [as many]"},
           flags.kv_heads);
  add_flag(app, heading, {"--batch", "B", "[1]"}, flags.batch);
  add_flag(app, heading, {"--dtype", "TYPE", "f16, bf16 or f32 [f16; that of .npy files]"}, flags.dtype);
  add_flag(app, heading, {"--mask", "MASK", "none, causal, window:W, causal+window:W, blocks:FILE [none]"},
           flags.mask);
  add_flag(app, heading, {scale, "X", "of the scores: a number, 1/8 or 1/sqrt(d) [1/sqrt(d)]"}, flags.scale);
}

void add_machine_flags(CLI::App& app, RunFlags& flags) {
  const char* heading = "Blocks and machine";
  add_flag(app, heading, {"--tiling", "HOW", "fit, paper or kernel:NAME [fit]"}, flags.tiling);
  add_flag(app, heading, {"--block-q", "BR", "rows of a query block [chosen by --tiling]"}, flags.block_q);
  add_flag(app, heading, {"--block-kv", "BC", "rows of a key block [chosen by --tiling]"}, flags.block_kv);
  add_flag(app, heading, {"--order", "ORDER", "of key blocks: ascending or descending [ascending]"},
           flags.order);
  add_flag(app, heading, {"--arch", "NAME", "see 'tilewalk list archs', or your own FILE.toml [a100]"},
           flags.arch);
  add_flag(app, heading, {"--sram", "BYTES", "what if a block had this much SRAM? [the arch's]"}, flags.sram);
}

void add_input_flags(CLI::App& app, RunFlags& flags) {
  const char* heading = "Inputs";
  add_flag(app, heading, {"--seed", "S", "of random Q, K and V [0]"}, flags.seed);
  add_flag(app, heading, {"--q", "FILE", "Q, K and V from .npy files with axes (n, d), (heads, n, d)"},
           flags.q);
  add_flag(app, heading, {"--k", "FILE", "or (batch, heads, n, d), which set the sizes; all three"}, flags.k);
  add_flag(app, heading, {"--v", "FILE", "are needed together"}, flags.v);
  add_flag(app, heading,
           {"--head", "NAME", "a real head, see 'tilewalk list heads' (n 512, d 64, f16, causal, 1/8)"},
           flags.head);
  add_flag(app, heading, {"--fault", "NAME", "run a broken schedule, see 'tilewalk list faults'"},
           flags.fault);
  add_switch(app, heading, "--count-only", "count without computing values: any size, little memory",
             flags.count_only);
}

void add_json_flag(CLI::App& app, bool& json) {
  add_switch(app, "Output", "--json", "one JSON object on stdout, and nothing else", json);
}

std::string convention_notes() {
  return "\nConventions:\n"
         "  causal is aligned at the bottom right: query i sees keys j <= i + n_kv - n. window:W keeps\n"
         "  |j - (i + n_kv - n)| < W. A query that sees no key gives O = 0, l = 0, m = L = -inf.\n"
         "  blocks:FILE is text: \"block_rows block_cols\", then rows of 0 and 1 (1: visible).\n"
         "  Bytes count valid elements only. --arch toy brings n 8, d 4, blocks of 2 and f32.\n"
         "  A smaller --n or --n-kv takes a head's first rows. Faults need conditions to show, see list "
         "faults.\n"
         "Exit codes: 0 done, 1 the check failed, 2 wrong request, 3 cannot be done here.";
}

}  // namespace tilewalk
