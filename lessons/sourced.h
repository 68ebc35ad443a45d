// Numbers of others and of measurements, each with its source: lessons/data/*.toml, and the tables of gpu/.
#pragma once

#include "lessons/expression.h"

namespace tilewalk {

// "published.fa1.fig2.bc256_gb", "measured.l2.reads_40_mb",
// "measured.counters.flash2_mma.f16.b64.h16.n1024.d64.none.cold.dram_read" and
// "measured.bench.flash2_mma.bf16.b4.h32.n4096.d64.none.time_s". Throws RequestError with the nearest name.
Value sourced(const Quantity& quantity);

// Every name with its value, for tests and for `tilewalk lesson check`.
std::vector<std::pair<std::string, Value>> all_sourced();

}  // namespace tilewalk
