// What the files of algorithms share: rows of their tables, and the element counts that closed forms are made
// of.
#pragma once

#include <algorithm>
#include <bit>

#include "sim/blocks.h"
#include "sim/emitter.h"

namespace tilewalk {

constexpr bool not_counted = false, watched = true;

// Tensors in HBM.
constexpr TensorRow tensor_q{"Q", Axis::q, Axis::d, StoredAs::problem, "hbm"};
constexpr TensorRow tensor_k{"K", Axis::kv, Axis::d, StoredAs::problem, "hbm"};
constexpr TensorRow tensor_v{"V", Axis::kv, Axis::d, StoredAs::problem, "hbm"};
constexpr TensorRow tensor_o(StoredAs type) { return {"O", Axis::q, Axis::d, type, "hbm"}; }
// S or P, wherever they live.
constexpr TensorRow tensor_scores(std::string_view name, StoredAs type, std::string_view home) {
  return {name, Axis::q, Axis::kv, type, home};
}
// One f32 number a row: m, l, alpha, ...
constexpr TensorRow tensor_vector(std::string_view name, std::string_view home, bool counted = true) {
  return {name, Axis::q, Axis::one, StoredAs::f32, home, counted};
}

// Tiles of one CTA.
constexpr TileRow tile_q{"q", "Q", Axis::q, Axis::d, StoredAs::problem, "sram"};
constexpr TileRow tile_k{"k", "K", Axis::kv, Axis::d, StoredAs::problem, "sram"};
constexpr TileRow tile_v{"v", "V", Axis::kv, Axis::d, StoredAs::problem, "sram"};
constexpr TileRow tile_o(std::string_view level) {
  return {"o", "O", Axis::q, Axis::d, StoredAs::f32, level, watched};
}
constexpr TileRow tile_scores(std::string_view name, std::string_view tensor, StoredAs type,
                              std::string_view level, bool is_watched = false) {
  return {name, tensor, Axis::q, Axis::kv, type, level, is_watched};
}
constexpr TileRow tile_vector(std::string_view name, std::string_view tensor, std::string_view level,
                              bool is_watched = false) {
  return {name, tensor, Axis::q, Axis::one, StoredAs::f32, level, is_watched};
}

// Elements over all batches and heads. Each query head reads its own copy of K and V (GQA shares no traffic).
inline double q_elements(const Problem& p) { return double(p.instances()) * double(p.n_q) * double(p.d); }
inline double kv_elements(const Problem& p) { return double(p.instances()) * double(p.n_kv) * double(p.d); }
inline double score_elements(const Problem& p) {
  return double(p.instances()) * double(p.n_q) * double(p.n_kv);
}
inline double rows_f32_bytes(const Problem& p) { return 4.0 * double(p.instances()) * double(p.n_q); }
inline double bytes_of(const Problem& p, double elements) { return elements * double(size_of(p.dtype)); }

inline double q_block_count(const Problem& p, const Tiling& t) { return double(blocks_of(p.n_q, t.block_q)); }
inline double kv_block_count(const Problem& p, const Tiling& t) {
  return double(std::max<std::int64_t>(1, blocks_of(p.n_kv, t.block_kv)));
}

// Whole rows of the score matrix, in the problem's dtype, that fit one block's SRAM: a power of two up to
// block_q; 0 when not even one does.
inline std::int64_t whole_rows_that_fit(const Problem& p, const Tiling& tiling, const Arch& arch) {
  const std::uint64_t capacity = arch.levels[std::size_t(arch.level("sram"))].capacity;
  const std::uint64_t row = std::uint64_t(std::max<std::int64_t>(1, p.n_kv)) * size_of(p.dtype);
  if (capacity == 0) return tiling.block_q;
  return std::min<std::int64_t>(tiling.block_q, std::int64_t(std::bit_floor(capacity / row)));
}

}  // namespace tilewalk
