#include "lessons/element.h"

#include <cmath>

#include "sim/error.h"

namespace tilewalk {
namespace {

struct Cell {
  std::int64_t row, col;
};

Cell cell_of(std::span<const double> indices, const std::string& name) {
  Cell cell{0, 0};
  for (std::size_t n = 0; n < indices.size(); ++n) {
    if (n > 1 || indices[n] != std::floor(indices[n]) || indices[n] < 0 || indices[n] > 1e9)
      throw RequestError(name + "[...] takes one or two whole numbers, from 0 on");
    (n == 0 ? cell.row : cell.col) = static_cast<std::int64_t>(indices[n]);
  }
  return cell;
}

// "S" is the tile s; where weights took the place of scores, "P" is too.
int find_tile(const Kernel& kernel, std::string name) {
  if (const int found = kernel.find(name); found >= 0) return found;
  if (name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z') name[0] = static_cast<char>(name[0] - 'A' + 'a');
  if (const int found = kernel.find(name); found >= 0) return found;
  return name == "p" ? kernel.find("s") : -1;
}

double tile_element(const std::string& name, const Cell& cell, OpenRun& run, std::uint64_t position) {
  const MachineState& state = (run.timeline().seek(position), run.timeline().state());
  if (state.launch < 0) throw RequestError(name + ": no kernel has begun at this position");
  const Kernel& kernel = run.plan().kernels[static_cast<std::size_t>(state.launch)];
  const int n = find_tile(kernel, name);
  if (n < 0)
    throw RequestError("kernel " + std::string(kernel.row->name) + " has no tile '" + shown(name) + "'");
  const Tile& tile = kernel.tiles[static_cast<std::size_t>(n)];
  const TileState& now = state.tiles[static_cast<std::size_t>(n)];
  if (!now.values || !now.written)
    throw RequestError(name + ": nothing was written to the tile at this position");
  const auto local = [&](Axis axis, std::int64_t at) {
    const std::int32_t block = axis == Axis::q ? now.row : now.col;
    return axis == Axis::q || axis == Axis::kv ? at - kernel.start(axis, block) : at;
  };
  const std::int64_t row = local(tile.rows, cell.row), col = local(tile.cols, cell.col);
  if (row < 0 || col < 0 || row >= now.rows || col >= now.cols)
    throw RequestError(name + "[" + std::to_string(cell.row) + "," + std::to_string(cell.col) +
                       "]: lies outside the tile that is on chip at this position");
  return now.values->values(row, col);
}

double hbm_element(const std::string& name, const Cell& cell, OpenRun& run, std::uint64_t position) {
  const int n = run.plan().tensors.find(name);
  const MachineState& state = (run.timeline().seek(position), run.timeline().state());
  if (n < 0 || state.hbm.empty())
    throw RequestError("hbm." + name + ": the run has no such tensor with values");
  const HbmTensor& tensor = state.hbm[static_cast<std::size_t>(n)];
  if (cell.row >= tensor.rows() || cell.col >= tensor.cols())
    throw RequestError("hbm." + name + ": lies outside the tensor");
  if (tensor.writes(0, cell.row, cell.col) == 0)
    throw RequestError("hbm." + name + ": was not written yet at this position");
  return tensor.at(0, cell.row, cell.col);
}

double score(const Cell& cell, OpenRun& run) {
  const Problem& p = run.plan().problem();
  if (cell.row >= p.n_q || cell.col >= p.n_kv) throw RequestError("score[...]: lies outside the matrix");
  return score_of(p, run.inputs(), cell.row, cell.col);
}

double truth_element(const std::string& name, const Cell& cell, OpenRun& run) {
  const Problem& p = run.plan().problem();
  const bool statistic = run.algorithm().softmax && (name == "m" || name == "l" || name == "L");
  if ((name != "O" && !statistic) || cell.row >= p.n_q || (name == "O" && cell.col >= p.d))
    throw RequestError("truth has O, m, l and L of every row; '" + shown(name) +
                       "' is none, or lies outside");
  const RowTruth& truth = run.truth(cell.row);
  if (name == "O") return truth.o[static_cast<std::size_t>(cell.col)];
  return name == "m" ? truth.m : name == "l" ? truth.l : truth.lse;
}

double weight(const Cell& cell, OpenRun& run) {
  const double s = score(cell, run);
  return std::isinf(s) ? 0 : std::exp(s - truth_element("L", cell, run));
}

}  // namespace

Value element_of(std::span<const std::string> path, std::span<const double> indices, OpenRun& run,
                 std::uint64_t position) {
  if (path.empty()) throw RequestError("a tile is missing before '['");
  const std::string& name = path.back();
  const Cell cell = cell_of(indices, name);
  run.inputs();  // a run that is only counted is told so
  if (path.size() == 1 && name == "score") return {score(cell, run), from_theory, {}};
  if (path.size() == 1 && name == "weight") return {weight(cell, run), from_theory, {}};
  if (path.size() == 1) return {tile_element(name, cell, run, position), from_model, {}};
  if (path.size() == 2 && path[0] == "hbm") return {hbm_element(name, cell, run, position), from_model, {}};
  if (path.size() == 2 && path[0] == "truth") return {truth_element(name, cell, run), from_theory, {}};
  if (path.size() == 2 && path[0] == "before")
    return {tile_element(name, cell, run, position > 0 ? position - 1 : 0), from_model, {}};
  throw RequestError("'" + shown(path[0]) +
                     "': before '[' stand a tile, hbm.TENSOR, truth.O, before.TILE, score or weight");
}

}  // namespace tilewalk
