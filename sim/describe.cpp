#include "sim/describe.h"

#include "sim/cost.h"
#include "sim/schedule_files.h"

namespace tilewalk {
namespace {

std::string times(std::int64_t a, std::int64_t b) { return std::to_string(a) + "x" + std::to_string(b); }

// " 2" or " 1 2": the tile's number on the axes that this tensor or tile has.
std::string block_numbers(Axis rows, Axis cols, const Event& e) {
  std::string text;
  for (const Axis axis : {rows, cols}) {
    if (axis == Axis::q) text += " " + std::to_string(e.row);
    if (axis == Axis::kv) text += " " + std::to_string(e.col);
  }
  return text;
}

std::string describe_move(const Event& e, const Plan& plan) {
  const Tensor& tensor = plan.tensors[e.tensor];
  const auto& levels = plan.config.arch.levels;
  const auto bytes =
      static_cast<std::uint64_t>(e.rows) * static_cast<std::uint64_t>(e.cols) * size_of(tensor.type);
  return std::string(tensor.name) + block_numbers(tensor.rows, tensor.cols, e) + " (" +
         times(e.rows, e.cols) + ", " + std::to_string(bytes) + " B" +
         (tensor.counted ? "" : ", not counted") + "): " + levels[e.from].name + " -> " + levels[e.to].name;
}

}  // namespace

std::string describe(const Event& e, const Plan& plan) {
  const std::string verb = std::string(name_of(e.op)) + " ";
  if (e.op == Op::load || e.op == Op::store) return verb + describe_move(e, plan);
  const Tile& tile = plan.kernels[e.launch].tiles[e.operand[0]];
  const std::string name(tile.name);
  if (e.op == Op::alloc) {
    return verb + name + " (" + times(e.rows, e.cols) + ", " + std::to_string(tile.bytes()) + " B) in " +
           plan.config.arch.levels[e.to].name;
  }
  if (e.op == Op::free) return verb + name;
  const std::string what = verb + name + block_numbers(tile.rows, tile.cols, e);
  if (e.op == Op::fill) return what + (e.flags & flag::minus_infinity ? " with -inf" : " with 0");
  if (e.op == Op::gemm) return what + " (" + times(e.rows, e.cols) + "x" + std::to_string(e.depth) + ")";
  return what + " (" + times(e.rows, e.cols) + ")";
}

std::string describe_place(const Event& e, const Plan& plan) {
  std::string text =
      "kernel " + std::string(plan.kernels[e.launch].row->name) + ", CTA " + std::to_string(e.cta);
  if (e.row >= 0) text += ", query block " + std::to_string(e.row);
  if (e.col >= 0) text += ", key block " + std::to_string(e.col);
  return text;
}

std::string_view schedule_source(std::string_view file) {
  for (const auto& entry : schedules::files()) {
    if (entry.path.substr(entry.path.rfind('/') + 1) == file) return entry.bytes;
  }
  return "";
}

std::uint64_t source_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::string describe_place(const Plan& plan, std::uint8_t launch, std::int32_t cta, std::int32_t row,
                           std::int32_t col) {
  Event e;
  e.launch = launch;
  e.cta = cta;
  e.row = row;
  e.col = col;
  return describe_place(e, plan);
}

}  // namespace tilewalk
