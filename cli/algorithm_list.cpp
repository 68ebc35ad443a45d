#include "cli/algorithm_list.h"

#include <algorithm>

#include "cli/console.h"
#include "sim/error.h"

namespace tilewalk {

void add_algorithms_flag(CLI::App& app, Flag& flag) {
  add_flag(app, "Algorithms", {"--algorithms", "A,B,...", "which, or all [standard,flash1,flash2]"}, flag);
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> words{""};
  for (const char c : text) {
    if (c == ',') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::vector<const Algorithm*> parse_algorithms(const Flag& flag) {
  if (flag.value_or("") == "all") return {algorithms().begin(), algorithms().end()};
  std::vector<const Algorithm*> chosen;
  for (const std::string& name : split_at_commas(flag.value_or("standard,flash1,flash2"))) {
    const Algorithm* algorithm = nullptr;
    try {
      algorithm = &algorithm_named(name);
    } catch (const RequestError& error) {
      throw RequestError("--algorithms " + typed(*flag) + ": " + error.what());
    }
    if (std::find(chosen.begin(), chosen.end(), algorithm) != chosen.end()) {
      throw RequestError("--algorithms " + typed(*flag) + ": names " + name + " twice; name it once");
    }
    chosen.push_back(algorithm);
  }
  return chosen;
}

}  // namespace tilewalk
