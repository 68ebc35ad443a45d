// The values of tiles and tensors at a moment, as views read them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "viz/frame.h"
#include "viz/heat_map.h"

namespace tilewalk::viz {

// What may be known or not.
using Value = std::optional<float>;

const Kernel& kernel_of(const RunFrame& run);

// The tile by its name, in the kernel at work; -1: it has none.
int find_tile(const RunFrame& run, std::string_view name);
// Of scores or weights: "s", or "p" in a kernel that only reads them.
int find_scores(const RunFrame& run);

// Whether a tile holds values in this state.
bool holds(const MachineState& state, int tile);
// An element of what a tile holds; no value outside.
std::optional<float> value_in(const MachineState& state, int tile, std::int64_t row, std::int64_t col = 0);
// A row of it; empty outside.
std::vector<float> row_in(const MachineState& state, int tile, std::int64_t row);

// The row of queries that is looked at: as chosen, else the first one of the current tile.
std::int64_t chosen_row(const Frame& frame, const RunFrame& run);
// Rows of queries of the tile at work, and keys.
Rect current_rect(const RunFrame& run);

// How the scores in the tile stand: as computed, with what the mask hides, or weights.
enum class ScoreStage : std::uint8_t { none, raw, masked, weights };
ScoreStage score_stage(const RunFrame& run);

// A tile as cells, as large as its room on the chip; what was never written, or is stale, is marked.
HeatGrid grid_of_tile(const RunFrame& run, int tile);

// An event of the story with this operation (and first operand, unless -1); null: none yet.
const Event* find_event(const Moment& moment, Op op, int tile = -1);

}  // namespace tilewalk::viz
