// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace tilewalk {

std::string human_time(double seconds);          // "12.3 µs", "0 s"
std::string human_count(double count);           // "1.23 G"
std::string exact_bytes(std::uint64_t bytes);    // "4 591 616 B (4.59 MB)"
std::string part_of(double part, double whole);  // "12 %", "4.1 x" beyond the whole

}  // namespace tilewalk
