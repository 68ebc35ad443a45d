#include "gpu/convert.h"

#include <algorithm>

namespace tilewalk::gpu {
namespace {

// A rectangle of one instance of a tensor, in elements.
struct Moved {
  int tensor;
  std::int64_t instance, row, col, rows, cols;
};

class Converter {
 public:
  Converter(const Plan& plan, const DeviceResult& result) : plan_(plan), result_(result) {}

  Converted run() {
    out_.trace.names = names_of(plan_);
    for (std::size_t k = 0; k < plan_.kernels.size() && k < result_.launches.size(); ++k) {
      launch_ = k;
      const auto ctas = static_cast<std::int64_t>(result_.launches[k].move_count.size());
      for (cta_ = 0; cta_ < ctas; ++cta_) take_cta();
    }
    return std::move(out_);
  }

 private:
  const Kernel& kernel() const { return plan_.kernels[launch_]; }
  const LaunchTrace& trace() const { return result_.launches[launch_]; }
  std::int64_t instance() const { return cta_ / kernel().blocks; }

  void refuse(std::size_t record, const std::string& why) {
    if (!out_.malformed.empty()) return;
    out_.malformed = "kernel " + std::string(kernel().row->name) + ", CTA " + std::to_string(cta_) +
                     ", record " + std::to_string(record) + ": " + why;
  }

  void take_cta() {
    key_block_ = -1;
    const auto c = static_cast<std::size_t>(cta_);
    const std::size_t moves = trace().move_count[c], tiles = trace().tile_count[c];
    if (moves > trace().most_moves) refuse(moves, "more loads and stores than the kernel may need");
    if (tiles > trace().most_tiles) refuse(tiles, "more tiles than the kernel may need");
    for (std::size_t n = 0; n < std::min<std::size_t>(moves, trace().most_moves); ++n) {
      const MoveRecord& record = trace().moves[c * trace().most_moves + n];
      if (record.bytes > 0) take_move(record, n);  // a tile without elements moves nothing
    }
    for (std::size_t n = 0; n < std::min<std::size_t>(tiles, trace().most_tiles); ++n) {
      keep_tile(c * trace().most_tiles + n);
    }
  }

  void take_move(const MoveRecord& record, std::size_t n) {
    Moved moved{};
    if (const std::string why = locate(record, moved); !why.empty()) return refuse(n, why);
    const Tensor& tensor = plan_.tensors[static_cast<std::size_t>(moved.tensor)];
    const std::int64_t due = tensor.rows == Axis::kv ? plan_.problem().kv_instance(instance()) : instance();
    if (moved.instance != due) {
      return refuse(n, std::string(tensor.name) + " of head " + std::to_string(moved.instance) +
                           ", where head " + std::to_string(due) + " is due");
    }
    Event e;
    e.op = record.is_store ? Op::store : Op::load;
    e.launch = static_cast<std::uint8_t>(launch_);
    e.cta = static_cast<std::int32_t>(cta_);
    e.tensor = static_cast<std::uint8_t>(moved.tensor);
    e.rows = static_cast<std::int32_t>(moved.rows);
    e.cols = static_cast<std::int32_t>(moved.cols);
    if (const std::string why = place(tensor, moved, e); !why.empty()) return refuse(n, why);
    set_tile_and_levels(tensor, e);
    out_.trace.events.push_back(e);
  }

  // Tensor and rectangle of the bytes between the record's addresses.
  std::string locate(const MoveRecord& record, Moved& moved) const {
    for (const TensorAddress& at : result_.tensors) {
      if (record.lowest < at.first || record.end > at.end) continue;
      moved.tensor = plan_.tensors.find(at.name);
      if (moved.tensor < 0) return std::string(at.name) + " is no tensor of the algorithm";
      return shape(record, at, moved);
    }
    return "addresses of no tensor";
  }

  std::string shape(const MoveRecord& record, const TensorAddress& at, Moved& moved) const {
    const Tensor& tensor = plan_.tensors[static_cast<std::size_t>(moved.tensor)];
    const auto size = static_cast<std::int64_t>(size_of(tensor.type));
    const auto first = static_cast<std::int64_t>(record.lowest - at.first) / size;
    const auto span = static_cast<std::int64_t>(record.end - record.lowest) / size;
    moved.instance = first / (tensor.n_rows * tensor.n_cols);
    moved.row = first % (tensor.n_rows * tensor.n_cols) / tensor.n_cols;
    moved.col = first % tensor.n_cols;
    moved.rows = (span + tensor.n_cols - 1) / tensor.n_cols;
    moved.cols = span - (moved.rows - 1) * tensor.n_cols;
    if (moved.rows * moved.cols * size == static_cast<std::int64_t>(record.bytes)) return "";
    return std::string(tensor.name) + ": " + std::to_string(record.bytes) + " B moved between addresses " +
           std::to_string(span * size) + " B apart are no rectangle of it, or some were moved twice";
  }

  // The tile that the rectangle begins. Where the tensor does not say, the kernel's grid does.
  std::string place(const Tensor& tensor, const Moved& moved, Event& e) {
    const auto block_of = [&](Axis axis, std::int64_t at, std::int32_t& block) {
      if (axis != Axis::q && axis != Axis::kv) return at == 0;
      const std::int64_t size = axis == Axis::q ? kernel().tiling.block_q : kernel().tiling.block_kv;
      block = static_cast<std::int32_t>(at / size);
      return at % size == 0;
    };
    const bool per_head = kernel().row->grid == Grid::per_head;
    e.row = per_head ? -1 : static_cast<std::int32_t>(cta_ % kernel().blocks);
    e.col = per_head ? key_block_ : -1;
    std::int32_t unused = 0;
    std::int32_t& by_rows = tensor.rows == Axis::q ? e.row : tensor.rows == Axis::kv ? e.col : unused;
    std::int32_t& by_cols = tensor.cols == Axis::kv ? e.col : unused;
    if (!block_of(tensor.rows, moved.row, by_rows) || !block_of(tensor.cols, moved.col, by_cols)) {
      return std::string(tensor.name) + ": element (" + std::to_string(moved.row) + ", " +
             std::to_string(moved.col) + ") begins no tile";
    }
    if (tensor.rows == Axis::kv) key_block_ = e.col;
    return "";
  }

  // The kernel's tile of that tensor, or else one of its shape: P is made in S's place.
  int tile_for(const Tensor& tensor, int index) const {
    int alike = -1;
    for (std::size_t t = 0; t < kernel().tiles.size(); ++t) {
      const Tile& tile = kernel().tiles[t];
      if (tile.tensor == index) return static_cast<int>(t);
      if (alike < 0 && tile.rows == tensor.rows && tile.cols == tensor.cols) alike = static_cast<int>(t);
    }
    return alike;
  }

  void set_tile_and_levels(const Tensor& tensor, Event& e) const {
    const auto home = static_cast<std::uint8_t>(tensor.level);
    std::uint8_t here = home;
    if (const int tile = tile_for(tensor, e.tensor); tile >= 0) {
      e.operand[0] = static_cast<TileHandle>(tile);
      here = static_cast<std::uint8_t>(kernel().tiles[static_cast<std::size_t>(tile)].level);
    }
    e.from = e.op == Op::load ? home : here;
    e.to = e.op == Op::load ? here : home;
  }

  // What the kernel kept after one tile. Steps on the same tile in a row leave one record, the last.
  void keep_tile(std::size_t at) {
    const KeptTile& kept = trace().tiles[at];
    TileRecord record{
        static_cast<std::uint8_t>(launch_), static_cast<std::int32_t>(cta_), kept.row, kept.col, {}};
    const float* values = trace().values.data() + at * trace().shape.floats;
    std::size_t which = 0;
    for (std::size_t t = 0; t < kernel().tiles.size() && which < KeptShape::most; ++t) {
      if (!kernel().tiles[t].watched) continue;
      record.tiles.push_back(
          watched(t, kept, values + trace().shape.start[which], trace().shape.cols[which]));
      ++which;
    }
    auto& records = out_.trace.records;
    const bool again = !records.empty() && records.back().launch == record.launch &&
                       records.back().cta == record.cta && records.back().row == record.row &&
                       records.back().col == record.col;
    if (again) records.pop_back();
    records.push_back(std::move(record));
  }

  WatchedTile watched(std::size_t t, const KeptTile& kept, const float* values, std::uint32_t stride) const {
    const Tile& tile = kernel().tiles[t];
    const auto extent = [&](Axis axis, int block) {
      return static_cast<std::int32_t>(kernel().extent(axis, block, plan_.problem()));
    };
    WatchedTile result{static_cast<TileHandle>(t),
                       extent(tile.rows, kept.row),
                       extent(tile.cols, tile.cols == Axis::kv ? kept.col : kept.row),
                       {}};
    for (std::int32_t r = 0; r < result.rows; ++r) {
      const float* row = values + static_cast<std::size_t>(r) * stride;
      result.values.insert(result.values.end(), row, row + result.cols);
    }
    return result;
  }

  const Plan& plan_;
  const DeviceResult& result_;
  Converted out_;
  std::size_t launch_ = 0;
  std::int64_t cta_ = 0;
  std::int32_t key_block_ = -1;  // of the last K or V tile that the CTA moved
};

}  // namespace

Converted to_trace(const Plan& plan, const DeviceResult& result) { return Converter(plan, result).run(); }

}  // namespace tilewalk::gpu
