// Recorded GPU runs: a trace's text with what a kernel put out, where and when, and a checksum.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/kernel_check.h"
#include "cli/options.h"

namespace tilewalk {

// Words about a recording that a trace does not hold: "device", "driver", "toolkit", "date", "sources",
// "seed" or "head". They stand in its header, beside the flags of the run.
using RecordingFacts = std::vector<std::pair<std::string, std::string>>;

// m and l of every tile in full. O and S in full for n <= 128, and for the first eight tiles of a kernel
// otherwise; else three numbers a row (sim/compare.h, sum_of_row). The output as three numbers a row, and L.
std::string format_recorded(const Plan& plan, const KernelResult& result, const RecordingFacts& facts);

struct Recorded {
  KernelResult result;
  RunFlags flags;  // of the run, as typed on a command line
  RecordingFacts facts;
  std::string fact(std::string_view name) const;  // "" when there is none
};

// Throws RequestError naming the file: unreadable, not a recording, or its checksum does not fit its
// contents.
Recorded read_recorded(const std::filesystem::path& path);

// The recordings of a folder (*.run), by name. Throws RequestError when there are none.
std::vector<std::filesystem::path> recordings_in(const std::string& folder);

}  // namespace tilewalk
