// The call of the program that shows what is on the screen.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "viz/run_request.h"
#include "viz/settings.h"

namespace tilewalk::viz {

// "tilewalk view flash2 --head induction --block-q 32 --block-kv 32 --at 'event 300'". The runs are on the
// same inputs; `position` is the first one's.
std::string command_line(std::span<const RunRequest> runs, std::uint64_t position, const Settings& settings,
                         const Selection& selection);

}  // namespace tilewalk::viz
