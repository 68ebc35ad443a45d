// O = (scale Q K^T) V fused by blocks, K/V outer: S never leaves the chip; O goes back to HBM after each key
// block.
#include "sim/algorithms/common.h"

namespace tilewalk {
namespace {

void fused(const Cta& cta, Emitter& e) {
  const auto Q = e.tensor("Q"), K = e.tensor("K"), V = e.tensor("V"), O = e.tensor("O");
  const auto q = e.alloc("q"), k = e.alloc("k"), v = e.alloc("v"), s = e.alloc("s"), o = e.alloc("o");
  for (const int j : cta.kv_blocks()) {
    const bool first = j == cta.kv_blocks().front();
    e.at(none, j);
    e.load(k, K[j]);
    e.load(v, V[j]);
    for (const int i : cta.q_blocks()) {
      if (cta.skips(i, j) && !first) continue;
      e.at(i, j);
      if (first) {
        e.fill(o, FillWith::zero);
      } else {
        e.load(o, O[i]);
      }
      if (!cta.skips(i, j)) {
        e.load(q, Q[i]);
        e.gemm(s, q, k.T(), Gemm::scaled);
        if (cta.crosses(i, j)) e.mask(s, Hidden::zero);
        e.gemm_add(o, s, v);
      }
      e.store(O[i], o);
    }
  }
  e.at(none);
  e.free({q, k, v, s, o});
}

constexpr TensorRow tensors[] = {tensor_q, tensor_k, tensor_v, tensor_scores("S", StoredAs::f32, "reg"),
                                 tensor_o(StoredAs::problem)};

constexpr TileRow tiles[] = {tile_q, tile_k, tile_v, tile_scores("s", "S", StoredAs::f32, "reg"),
                             tile_o("reg")};

constexpr LaunchRow kernels[] = {{"fused", fused, Grid::per_head, Axis::kv, tiles}};

std::vector<Launch> launches(const Problem&, const Tiling& tiling, const Arch&) {
  return {{&kernels[0], tiling}};
}

// Lecture: K and V once, and for each key block Q read, O written, and O read but for the first.
Theory theory(const Problem& p, const Tiling& t) {
  if (!p.mask.is_none() || p.n_kv == 0) return {};
  const double passes = kv_block_count(p, t);
  return {true, bytes_of(p, 2 * kv_elements(p) + (3 * passes - 1) * q_elements(p)), "(3Tc+1)Nd"};
}

constexpr std::string_view fault_names[] = {"causal_off_by_one", "stale_tile", "double_load"};

}  // namespace

extern const Algorithm fused_nosoftmax = {
    "fused_nosoftmax",
    "attention without softmax, fused",
    "lecture, section 4",
    "fused_nosoftmax.cpp",
    false,
    tensors,
    launches,
    theory,
    fault_names,
    "keeps the scale; O is rounded to the problem's dtype at every pass, as the lecture's count has it"};

}  // namespace tilewalk
