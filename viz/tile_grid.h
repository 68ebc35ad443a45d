// The tiles of the score matrix as cells of a grid: where each lies, and what state it is in.
#pragma once

#include <cmath>

#include "viz/box.h"
#include "viz/frame.h"

namespace tilewalk::viz {

enum class Cell : std::uint8_t { to_come, done, current, masked };

// What is drawn of one run. A cell stands for `group` x `group` tiles where they are too many to be told
// apart.
struct TileGrid {
  const RunFrame* run;
  const Visits* visits;
  std::int64_t turn;  // of the tile at work or last at work; -1: none yet
  bool in_tile;       // it is at work
  std::int64_t group;
  std::int64_t rows, cols;  // cells
  float cell;               // pixels
  ImVec2 origin;

  Box box(std::int64_t row, std::int64_t col) const {
    const float x = origin.x + float(col) * cell, y = origin.y + float(row) * cell;
    const float gap = cell >= 5 ? std::max(1.0f, std::floor(cell * 0.12f)) : 0;
    return {{x, y}, {x + cell - gap, y + cell - gap}};
  }
};

// The kernel at work, as large as it fits the area, in its middle.
TileGrid grid_of(const RunFrame& run, const Box& area);

// How many tiles a side a cell stands for.
std::int64_t group_of(const Visits& visits);

Cell state_of(const TileGrid& grid, TileId tile);
// Of a group of tiles the one in its middle speaks, unless the current tile is in it.
Cell state_of_cell(const TileGrid& grid, std::int64_t row, std::int64_t col);

void draw_cell(const Theme& theme, const Box& box, Cell state);

}  // namespace tilewalk::viz
