// A run as JSON: the contract of DESIGN, "Command line".
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/options.h"
#include "sim/run.h"

namespace tilewalk {

using Json = nlohmann::ordered_json;

// The object that `run --json` prints, and that other commands nest.
Json run_json(const Run& run, const Request& request);

Json problem_json(const Problem& problem);
Json tiling_json(const Tiling& tiling);
// {"hbm":{"read":{"Q":..,"total":..},"write":{..}},"sram":{..},..}: every level, and every tensor that lives
// in HBM.
Json bytes_json(const Counts& counts, const Plan& plan);

// With a line break at the end. What is not UTF-8 is replaced; numbers that are not finite become null.
std::string json_text(const Json& json);

}  // namespace tilewalk
