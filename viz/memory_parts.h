// The parts of the memory view, of one run: the levels of the hierarchy, and what moves between them.
#pragma once

#include <vector>

#include "viz/box.h"
#include "viz/frame.h"

namespace tilewalk::viz {

// From the top: what one CTA has, the way to it, and HBM. `sram` and `reg` stand side by side; `reg` is empty
// where no tile lives there and room is short.
struct MemoryAreas {
  Box sram, reg;
  Box upper;  // between the chip and the link
  Box link;   // L2, or the link itself on a machine without one
  Box lower;  // between the link and HBM
  Box hbm;
};
MemoryAreas memory_areas(const Frame& frame, const RunFrame& run, Box box);

// Where things were drawn, for arrows to lead there.
struct MemoryPlaces {
  std::vector<Box> tiles;  // by handle
  std::vector<Box>
      tensors;  // the block of each that is at work, else all of it; empty where it is not in HBM
};

void draw_tile(const Frame& frame, const RunFrame& run, std::size_t tile, const Box& box);
void draw_chip_level(const Frame& frame, const RunFrame& run, int level, const Box& box,
                     MemoryPlaces& places);
void draw_link(const Frame& frame, const RunFrame& run, const Box& box);
void draw_tensor(const Frame& frame, const RunFrame& run, std::size_t tensor, Box box, MemoryPlaces& places);
void draw_hbm(const Frame& frame, const RunFrame& run, const Box& box, MemoryPlaces& places);
// The arrow of a load or store; the link is drawn over it.
void draw_way(const Frame& frame, const RunFrame& run, const MemoryPlaces& places);
// The tile that is on its way or has just arrived, with its bytes; of other steps, what they do.
void draw_transfer(const Frame& frame, const RunFrame& run, const MemoryAreas& areas,
                   const MemoryPlaces& places);

// What a tile holds, as its tensor's block: "K 1", "S 9, 1"; "" for one of its own.
std::string contents_of(const RunFrame& run, TileHandle tile);
// S or P: what the tile of scores holds now.
std::string_view scores_letter(const RunFrame& run, TileHandle tile);

// The elements of its tensor that a tile holds.
Rect held_by(const RunFrame& run, TileHandle tile);

// The level's frame; returns what is inside.
Box draw_level_frame(const Frame& frame, const Box& box);

std::string level_title(const Plan& plan, int level);

}  // namespace tilewalk::viz
