#include "sim/algorithm.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

constexpr const Algorithm* table[] = {&standard, &standard_nosoftmax, &fused_nosoftmax,
                                      &flash1,   &flash1_fig2,        &flash2};

}  // namespace

std::span<const Algorithm* const> algorithms() { return table; }

std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : table) names.push_back(algorithm->name);
  return names;
}

const Algorithm& algorithm_named(std::string_view name) {
  for (const Algorithm* algorithm : table) {
    if (algorithm->name == name) return *algorithm;
  }
  throw RequestError(unknown_name("algorithm", name, algorithm_names()));
}

}  // namespace tilewalk
