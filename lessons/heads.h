// Real attention heads that ship with tilewalk: four heads of a small byte-level transformer that reads the
// same 256 bytes twice. Every one is causal, 512 rows of d = 64, float16, with scale 1/8.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/inputs.h"

namespace tilewalk {

struct Head {
  std::string_view name, title;
  std::string_view mask = "causal";
  float scale = 0.125f;
  std::int64_t n = 512, d = 64;
};

std::span<const Head> heads();
const Head& head_named(std::string_view name);  // throws RequestError with the nearest name
std::vector<std::string_view> head_names();

// Q, K and V of a head, all n rows of them.
Inputs load_head(const Head& head);

}  // namespace tilewalk
