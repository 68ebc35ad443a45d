// What says which run is meant: the flags of run, step, compare, sweep and trace, and of a lesson's runs, as
// typed.
#pragma once

#include <optional>
#include <string>

namespace tilewalk {

using Flag = std::optional<std::string>;

// A flag that was not given holds nothing.
struct RunFlags {
  Flag n, n_kv, d, heads, kv_heads, batch, dtype, mask, scale;  // the problem
  Flag tiling, block_q, block_kv, order, arch, sram;            // blocks and machine
  Flag seed, q, k, v, head, fault;                              // inputs
  bool count_only = false, json = false;
};

}  // namespace tilewalk
