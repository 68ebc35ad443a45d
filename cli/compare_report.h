// Algorithms side by side, as a table and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/run_json.h"
#include "sim/run.h"

namespace tilewalk {

// One algorithm's column: its run, or why there is none.
struct ComparedRun {
  const Algorithm* algorithm;
  std::optional<Run> run;
  std::string why;
};

std::vector<const Run*> runs_of(const std::vector<ComparedRun>& entries);

// There must be a run among the entries; the first is what the others are held against.
std::string compare_text(const std::vector<ComparedRun>& entries, const Request& request);
Json compare_json(const std::vector<ComparedRun>& entries, const Request& request);

}  // namespace tilewalk
