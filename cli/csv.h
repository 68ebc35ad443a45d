// Tables of measurements as files, with where they come from.
#pragma once

#include <string>

#include "sim/problem.h"

namespace tilewalk {

std::string today();  // "2026-11-30", in UTC

// "f16,64,16,16,1024,1024,64,none": dtype, batch, heads, kv_heads, n, n_kv, d, mask.
std::string csv_problem(const Problem& problem);

// `csv` under comment lines (#) that say device, driver, toolkit, date and `notes`. Throws RequestError.
void write_measured_csv(const std::string& path, const std::string& csv, const std::string& notes);

}  // namespace tilewalk
