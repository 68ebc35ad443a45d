// Places in a run, in words: "start", "end", "event 120", "tile 2 1", "load K 2", "gemm s 1 2", "store O 0
// #3".
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/timeline.h"

namespace tilewalk {

// The position just after the event that the words name; `tile I J`: just before the tile's first event.
// After an operation stand a tensor's or tile's name, then one block number (on the tensor's own axis) or two
// (query and key block), then "#n" for the n-th match. Anything may be left out from the right. Throws
// RequestError that says what is wrong or that the run has no such event.
std::uint64_t find_anchor(Timeline& timeline, std::string_view words);

}  // namespace tilewalk
