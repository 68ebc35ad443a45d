// Standard output and standard error. Results go to the one, messages to the other.
#pragma once

#include <string>
#include <string_view>

#include "sim/error.h"

namespace tilewalk {

// Throws RequestError when it cannot be written: a closed pipe, a full disk.
void print(std::string_view text);
void flush_output();

bool output_is_terminal();  // and colours are welcome there (NO_COLOR is not set)
bool errors_are_terminal();

// "tilewalk: text", always as one line.
void complain(std::string_view text);
void note(std::string_view text);  // "tilewalk: note: text"

// Fit for one line: control characters become '?', and what is longer than `longest` bytes ends in "...".
std::string one_line(std::string_view text, std::size_t longest = 2000);

}  // namespace tilewalk
