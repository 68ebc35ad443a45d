// O = (scale Q K^T) V in two kernels, with S in HBM between them: the lecture's starting point, without
// softmax.
#include "sim/algorithms/common.h"

namespace tilewalk {
namespace {

void scores(const Cta& cta, Emitter& e) {
  const auto Q = e.tensor("Q"), K = e.tensor("K"), S = e.tensor("S");
  const int i = cta.block;
  e.at(i);
  const auto q = e.alloc("q"), k = e.alloc("k"), s = e.alloc("s");
  e.load(q, Q[i]);
  for (const int j : cta.kv_blocks()) {
    e.at(i, j);
    e.load(k, K[j]);
    e.gemm(s, q, k.T(), Gemm::scaled);
    if (cta.crosses(i, j)) e.mask(s, Hidden::zero);
    e.store(S(i, j), s);
  }
  e.at(i);
  e.free({q, k, s});
}

void output(const Cta& cta, Emitter& e) {
  const auto S = e.tensor("S"), V = e.tensor("V"), O = e.tensor("O");
  const int i = cta.block;
  e.at(i);
  const auto s = e.alloc("s"), v = e.alloc("v"), o = e.alloc("o");
  e.fill(o, FillWith::zero);
  for (const int j : cta.kv_blocks()) {
    e.at(i, j);
    e.load(s, S(i, j));
    e.load(v, V[j]);
    e.gemm_add(o, s, v);
  }
  e.at(i);
  e.store(O[i], o);
  e.free({s, v, o});
}

constexpr TensorRow tensors[] = {tensor_q, tensor_k, tensor_v, tensor_scores("S", StoredAs::problem, "hbm"),
                                 tensor_o(StoredAs::problem)};

constexpr TileRow scores_tiles[] = {tile_q, tile_k, tile_scores("s", "S", StoredAs::f32, "sram", watched)};

constexpr TileRow output_tiles[] = {tile_scores("s", "S", StoredAs::problem, "sram"), tile_v, tile_o("sram")};

constexpr LaunchRow kernels[] = {{"scores", scores, Grid::per_q_block, Axis::q, scores_tiles},
                                 {"output", output, Grid::per_q_block, Axis::q, output_tiles}};

std::vector<Launch> launches(const Problem&, const Tiling& tiling, const Arch&) {
  return {{&kernels[0], tiling}, {&kernels[1], tiling}};
}

Theory theory(const Problem& p, const Tiling&) {
  return {true, bytes_of(p, 2 * score_elements(p) + 2 * q_elements(p) + 2 * kv_elements(p)), "2N^2 + 4Nd"};
}

constexpr std::string_view fault_names[] = {"causal_off_by_one", "stale_tile", "double_load"};

}  // namespace

extern const Algorithm standard_nosoftmax = {
    "standard_nosoftmax",
    "attention without softmax, unfused",
    "lecture, section 4",
    "standard_nosoftmax.cpp",
    false,
    tensors,
    launches,
    theory,
    fault_names,
    "keeps the scale: O = (scale Q K^T) V; --scale 1 gives the lecture's"};

}  // namespace tilewalk
