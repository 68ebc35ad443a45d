#include "cli/shown_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/algorithm_list.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

constexpr std::string_view tensor_prefix = "hbm:";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Index of the tile in a kernel, -1: none. S and P share one buffer where P overwrites S.
int tile_named(const Kernel& kernel, std::string_view name) {
  for (const std::string& wanted :
       {std::string(name), lower(name), std::string(name == "P" || name == "p" ? "s" : "")}) {
    if (const int found = kernel.find(wanted); found >= 0) return found;
  }
  return -1;
}

int hbm_tensor_named(const Plan& plan, std::string_view name) {
  const int found = plan.tensors.find(name);
  const bool outside =
      found >= 0 && plan.tensors[static_cast<std::size_t>(found)].level == plan.config.arch.level("hbm");
  return outside ? found : -1;
}

bool any_kernel_has(const Plan& plan, std::string_view name) {
  return std::any_of(plan.kernels.begin(), plan.kernels.end(),
                     [&](const Kernel& kernel) { return tile_named(kernel, name) >= 0; });
}

bool is_known(const Plan& plan, std::string_view name) {
  if (name.starts_with(tensor_prefix)) return hbm_tensor_named(plan, name.substr(tensor_prefix.size())) >= 0;
  return any_kernel_has(plan, name) || hbm_tensor_named(plan, name) >= 0;
}

[[noreturn]] void refuse_name(const Plan& plan, const std::string& name) {
  std::vector<std::string> names;
  for (const Kernel& kernel : plan.kernels) {
    for (const Tile& tile : kernel.tiles) names.emplace_back(tile.name);
  }
  for (const Tensor& tensor : plan.tensors) {
    if (hbm_tensor_named(plan, tensor.name) >= 0)
      names.push_back(std::string(tensor_prefix) + std::string(tensor.name));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  throw RequestError("--show: " +
                     unknown_name("tile", name, std::vector<std::string_view>(names.begin(), names.end())));
}

// First element of the tile on an axis, in the whole tensor.
std::int64_t start(const Kernel& kernel, Axis axis, std::int32_t row, std::int32_t col) {
  const std::int32_t block = axis == Axis::q ? row : axis == Axis::kv ? col : 0;
  return block < 0 ? 0 : kernel.start(axis, block);
}

ShownMatrix of_tile(const std::string& name, const Tile& tile, const TileState& state, const Kernel& kernel,
                    const Plan& plan) {
  ShownMatrix matrix{
      name, plan.config.arch.levels[static_cast<std::size_t>(tile.level)].name, "", "", 0, 0, 0, 0, {}, {}};
  if (!state.allocated) matrix.status = "not allocated";
  if (state.allocated && !state.written) matrix.status = "stale: nothing was written to it yet";
  if (!matrix.status.empty()) return matrix;
  matrix.rows = state.rows;
  matrix.cols = state.cols;
  matrix.first_row = start(kernel, tile.rows, state.row, state.col);
  matrix.first_col = start(kernel, tile.cols, state.row, state.col);
  if (state.col >= 0 && state.row >= 0) matrix.about = fmt::format("of tile ({}, {})", state.row, state.col);
  if (!state.values) matrix.status = "written; no values with --count-only";
  if (!state.values) return matrix;
  for (std::int32_t r = 0; r < state.rows; ++r) {
    const float* row = state.values->values.row(r).data();
    matrix.values.insert(matrix.values.end(), row, row + state.cols);
  }
  matrix.written.assign(matrix.values.size(), true);
  return matrix;
}

// Rows [rect.row, ...) of one instance of a tensor.
ShownMatrix of_tensor(const std::string& name, int index, std::int64_t first_instance, std::int64_t instances,
                      const Rect& rect, const MachineState& state) {
  ShownMatrix matrix{name, "hbm", "", "", rect.rows * instances, rect.cols, rect.row, rect.col, {}, {}};
  if (state.hbm.empty()) matrix.status = "no values with --count-only";
  if (state.hbm.empty()) return matrix;
  const HbmTensor& tensor = state.hbm[static_cast<std::size_t>(index)];
  for (std::int64_t n = first_instance; n < first_instance + instances; ++n) {
    for (std::int64_t r = rect.row; r < rect.row + rect.rows; ++r) {
      for (std::int64_t c = rect.col; c < rect.col + rect.cols; ++c) {
        const bool written = tensor.writes(n, r, c) > 0;
        matrix.written.push_back(written);
        matrix.values.push_back(written ? tensor.at(n, r, c) : 0);
      }
    }
  }
  return matrix;
}

// The event just done, or the first one to come.
Event event_at(Timeline& timeline) {
  return timeline.event(timeline.position() == 0 ? 0 : timeline.position() - 1);
}

// The block of the tensor that the event works on; the first outside the loops.
ShownMatrix of_tensor_block(const std::string& name, int index, Timeline& timeline) {
  const Plan& plan = timeline.plan();
  const Tensor& tensor = plan.tensors[static_cast<std::size_t>(index)];
  if (timeline.size() == 0) return of_tensor(name, index, 0, 0, {}, timeline.state());
  const Event event = event_at(timeline);
  const Kernel& kernel = plan.kernels[event.launch];
  const std::int64_t query_head = event.cta / std::max<std::int64_t>(1, kernel.blocks);
  const std::int64_t instance = tensor.rows == Axis::kv ? plan.problem().kv_instance(query_head) : query_head;
  const auto extent = [&](Axis axis) {
    return kernel.extent(axis, std::max(0, axis == Axis::q ? event.row : event.col), plan.problem());
  };
  const Rect rect{start(kernel, tensor.rows, event.row, event.col),
                  start(kernel, tensor.cols, event.row, event.col), extent(tensor.rows), extent(tensor.cols)};
  ShownMatrix matrix = of_tensor(name, index, instance, 1, rect, timeline.state());
  const bool several = timeline.plan().problem().instances() > 1;
  matrix.about =
      several ? fmt::format("head {} of {}", instance, tensor.rows == Axis::kv ? "K and V" : "Q") : "";
  return matrix;
}

// What the last operation left in the buffer of the scores, which P takes over. "" before any.
std::string contents_of_scores(int tile, Timeline& timeline) {
  for (std::uint64_t n = timeline.position(); n > 0; --n) {
    const Event event = timeline.event(n - 1);
    if (event.operand[0] != tile || event.op == Op::store) continue;
    if (event.op == Op::gemm) return ", holds S";
    if (event.op == Op::load) return fmt::format(", holds {}", timeline.plan().tensors[event.tensor].name);
    if (event.op == Op::mask) return ", holds S, masked";
    if (event.op == Op::softmax) return ", holds P";
    if (event.op == Op::block_softmax) return ", holds exp(S - m_tile)";
    if (event.op == Op::online_softmax) return ", holds exp(S - m)";
  }
  return "";
}

struct Place {
  int tile = -1, tensor = -1;
};

Place place_of(const std::string& name, Timeline& timeline) {
  const Plan& plan = timeline.plan();
  if (name.starts_with(tensor_prefix))
    return {-1, hbm_tensor_named(plan, std::string_view(name).substr(tensor_prefix.size()))};
  if (timeline.size() > 0) {
    const int tile = tile_named(plan.kernels[event_at(timeline).launch], name);
    if (tile >= 0) return {tile, -1};
  }
  return {-1, hbm_tensor_named(plan, name)};
}

ShownMatrix find(const std::string& name, Timeline& timeline, bool whole) {
  const Plan& plan = timeline.plan();
  const Place place = place_of(name, timeline);
  if (place.tensor >= 0 && !whole) return of_tensor_block(name, place.tensor, timeline);
  if (place.tensor >= 0) {
    const Tensor& tensor = plan.tensors[static_cast<std::size_t>(place.tensor)];
    const Problem& p = plan.problem();
    const std::int64_t instances = tensor.rows == Axis::kv ? p.batch * p.kv_heads : p.instances();
    return of_tensor(name, place.tensor, 0, instances, {0, 0, tensor.n_rows, tensor.n_cols},
                     timeline.state());
  }
  const Kernel& kernel = plan.kernels[timeline.size() > 0 ? event_at(timeline).launch : 0];
  if (place.tile < 0)
    return {name, "", fmt::format("kernel {} has no such tile", kernel.row->name), "", 0, 0, 0, 0, {}, {}};
  const Tile& tile = kernel.tiles[static_cast<std::size_t>(place.tile)];
  const auto& tiles = timeline.state().tiles;
  const TileState state = tiles.empty() ? TileState() : tiles[static_cast<std::size_t>(place.tile)];
  ShownMatrix matrix = of_tile(name, tile, state, kernel, plan);
  if (tile.name == "s" && state.written) matrix.about += contents_of_scores(place.tile, timeline);
  return matrix;
}

}  // namespace

std::vector<std::string> parse_shown(std::string_view list, const Plan& plan) {
  std::vector<std::string> names;
  for (const std::string& word : split_at_commas(std::string(list))) {
    if (!is_known(plan, word)) refuse_name(plan, word);
    names.push_back(word);
  }
  return names;
}

std::vector<std::string> default_shown(const Plan& plan) {
  std::vector<std::string> names;
  for (const char* name : {"m", "l", "O", "S"}) {
    if (is_known(plan, name)) names.emplace_back(name);
  }
  return names;
}

ShownMatrix find_shown(const std::string& name, Timeline& timeline) { return find(name, timeline, false); }

ShownMatrix find_whole(const std::string& name, Timeline& timeline) { return find(name, timeline, true); }

}  // namespace tilewalk
