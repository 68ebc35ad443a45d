// A moment of a run as text and as JSON. Both are functions of the run, the position and the names to show
// alone.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/run_json.h"
#include "sim/timeline.h"

namespace tilewalk {

std::string frame_text(Timeline& timeline, const std::vector<std::string>& shown, bool terminal);

Json frame_json(Timeline& timeline, const std::vector<std::string>& shown);

}  // namespace tilewalk
