// Recorded GPU runs, read: a trace's text with what a kernel put out, where and when, and a checksum.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/trace.h"

namespace tilewalk {

struct Recording {
  Trace trace;                // its header: the run as flags, the kernel, and where and when it ran
  std::vector<float> o, lse;  // o: sum_of_row's three numbers of each row
  std::string fact(std::string_view name) const;  // of the header; "" when there is none
};

constexpr std::string_view checksum_word = "# checksum ";  // begins a recording's last line

// Throws RequestError naming the file: not a recording, or its checksum does not fit its contents.
Recording parse_recording(std::string_view text, const std::string& name);

}  // namespace tilewalk
