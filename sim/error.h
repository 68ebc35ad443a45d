// Errors that sim reports. sim never prints and never exits: the program that uses it decides what to do.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tilewalk {

// The request cannot be carried out as asked. The message is one line that names the flag (or file), the
// value and the remedy. Programs exit with 2.
struct RequestError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A schedule broke a rule of the machine: read a tile that was never written, freed one twice, ran over a
// capacity. It is a defect of the schedule, never of the request.
struct ScheduleError : std::logic_error {
  using std::logic_error::logic_error;
};

// A user's words as they may stand in a one-line message: no control characters, and not endless.
std::string shown(std::string_view words);

// A flag's value as messages show it: the same, and '' when it is empty.
std::string typed(std::string_view value);

// The entry of `known` closest to `word` by edit distance, whatever the case, or "" when nothing is close
// enough to suggest.
std::string nearest(std::string_view word, std::span<const std::string_view> known);

// "unknown <what> 'word'; did you mean 'x'? Known: a, b, c" — the one wording for every name looked up in a
// table.
std::string unknown_name(std::string_view what, std::string_view word,
                         std::span<const std::string_view> known);

}  // namespace tilewalk
