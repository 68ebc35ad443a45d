// The parts of the tiles view, of one run.
#pragma once

#include "viz/box.h"
#include "viz/command.h"
#include "viz/frame.h"

namespace tilewalk::viz {

// m, l and O of all rows of queries, as HBM and the chip hold them.
void draw_all_rows(const Frame& frame, const RunFrame& run, Box box, Commands& commands);

// Outlines the strip of the row that is looked at.
void mark_row(const Frame& frame, const Box& strip);

}  // namespace tilewalk::viz
