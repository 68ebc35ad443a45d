// How much memory there is to work in.
#pragma once

#include <cstdint>

namespace tilewalk {

// Bytes that could be taken without swapping, also within the limits of the container and of `ulimit -v`. 0:
// unknown.
std::uint64_t available_memory();

}  // namespace tilewalk
