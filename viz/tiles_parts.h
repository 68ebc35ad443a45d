// The parts of the tiles view, of one run.
#pragma once

#include "viz/box.h"
#include "viz/command.h"
#include "viz/frame.h"
#include "viz/heat_map.h"

namespace tilewalk::viz {

// One tile as a map, with its row marked; the mouse on it says what a cell is made of, and selects a row.
HeatMap draw_tile_map(const Frame& frame, const RunFrame& run, int tile, const Box& box, bool square,
                      HeatScale scale, Commands& commands);
// Scores or weights, and what stands beside them.
void draw_scores(const Frame& frame, const RunFrame& run, int tile, Box box, HeatScale scale,
                 Commands& commands);

// m, l and O of all rows of queries, as HBM and the chip hold them.
void draw_all_rows(const Frame& frame, const RunFrame& run, Box box, Commands& commands);

// Outlines the strip of the row that is looked at.
void mark_row(const Frame& frame, const Box& strip);

}  // namespace tilewalk::viz
