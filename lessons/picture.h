// Pictures of a step for handouts: SVG, drawn from the run at the step's position.
#pragma once

#include <string>

#include "lessons/fill.h"

namespace tilewalk {

// The score matrix in tiles: which ones the kernel has visited, in which order, and where it is. "" where
// there would be too many to tell apart.
std::string tiles_svg(const ShownStep& step, Language language);

// HBM bytes so far of each run of the step, by tensor, read and written.
std::string traffic_svg(const ShownStep& step, Language language);

}  // namespace tilewalk
