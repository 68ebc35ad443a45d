// Where traced kernels write what they did: the layout that the tracer on the device and the conversion on
// the host share. Plain data, C++17, no CUDA types.
#pragma once

#include <cstdint>

namespace tilewalk::gpu {

// One tile moved between global and shared memory, as the threads of a CTA really moved it.
struct MoveRecord {
  std::uint64_t lowest = UINT64_MAX, end = 0;  // addresses: the first byte moved, and past the last one
  std::uint32_t bytes = 0;                     // sum over all elements moved
  std::uint32_t is_store = 0;
};

// The tile of the score matrix after which values were kept.
struct KeptTile {
  std::int32_t row = -1, col = -1;
};

// What a kernel keeps after each tile: up to three quantities (such as m, l, O), each a rows x cols matrix.
struct KeptShape {
  static constexpr int most = 3;
  std::uint32_t start[most] = {}, cols[most] = {};  // in floats, within one kept tile
  std::uint32_t floats = 0;                         // of one kept tile
};

// Every CTA has its own part of each array: nothing depends on the order in which CTAs run.
struct TraceBuffers {
  MoveRecord* moves = nullptr;                                 // most_moves a CTA
  KeptTile* tiles = nullptr;                                   // most_tiles a CTA
  float* values = nullptr;                                     // most_tiles * shape.floats a CTA
  std::uint32_t *move_count = nullptr, *tile_count = nullptr;  // one a CTA; may exceed the most
  std::uint32_t most_moves = 0, most_tiles = 0;
  KeptShape shape;
};

}  // namespace tilewalk::gpu
