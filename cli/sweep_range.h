// What a sweep runs over: "n=512:65536:*2", "d=32:128:+32" or "block_kv=16,64,256".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilewalk {

struct SweepRange {
  std::string name;  // "n"
  std::vector<std::int64_t> values;
};

// Throws RequestError "--over ...: what; remedy".
SweepRange parse_sweep_range(const std::string& text, const std::vector<std::string_view>& names);

}  // namespace tilewalk
