// Runs in the words of the command line: "flash2 --head induction --n 64 --block-q 16 --block-kv 16".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lessons/run_flags.h"

namespace tilewalk {

// The flag called so on the command line, without the "--"; null: there is none of that name with a value.
Flag* flag_named(RunFlags& flags, std::string_view name);

struct RunWords {
  std::string algorithm;
  RunFlags flags;
};

// Throws RequestError.
RunWords parse_run_words(std::string_view words);

// The flags of a trace's header (sim/trace.h). A head brings its own sizes.
RunFlags flags_of(const std::vector<std::pair<std::string, std::string>>& header);

}  // namespace tilewalk
