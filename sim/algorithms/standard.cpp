// Standard attention (FlashAttention paper, Alg. 0): three kernels, and S and P go through HBM between them.
#include "sim/algorithms/common.h"

namespace tilewalk {
namespace {

// S = scale Q K^T  (line 1)
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
    e.store(S(i, j), s);
  }
  e.at(i);
  e.free({q, k, s});
}

// P = softmax(S), for as many whole rows as fit on chip  (line 2)
void softmax(const Cta& cta, Emitter& e) {
  const auto S = e.tensor("S"), P = e.tensor("P");
  const int i = cta.block, all = 0;
  e.at(i);
  const auto s = e.alloc("s");
  e.at(i, all);
  e.load(s, S(i, all));
  if (cta.crosses(i, all)) e.mask(s);
  e.softmax(s, s);
  e.store(P(i, all), s);
  e.at(i);
  e.free({s});
}

// The same when not even one row fits: S is read twice, first for m and l, then for P.
void softmax_two_pass(const Cta& cta, Emitter& e) {
  const auto S = e.tensor("S"), P = e.tensor("P");
  const int i = cta.block;
  e.at(i);
  const auto s = e.alloc("s"), m = e.alloc("m"), l = e.alloc("l"), alpha = e.alloc("alpha");
  e.fill(m, FillWith::minus_infinity);
  e.fill(l, FillWith::zero);
  for (const int j : cta.kv_blocks()) {
    e.at(i, j);
    e.load(s, S(i, j));
    if (cta.crosses(i, j)) e.mask(s);
    e.online_softmax(s, m, l, alpha);
  }
  for (const int j : cta.kv_blocks()) {
    e.at(i, j);
    e.load(s, S(i, j));
    if (cta.crosses(i, j)) e.mask(s);
    e.softmax(s, s, m, l);
    e.store(P(i, j), s);
  }
  e.at(i);
  e.free({s, m, l, alpha});
}

// O = P V  (line 3)
void output(const Cta& cta, Emitter& e) {
  const auto P = e.tensor("P"), V = e.tensor("V"), O = e.tensor("O");
  const int i = cta.block;
  e.at(i);
  const auto p = e.alloc("p"), v = e.alloc("v"), o = e.alloc("o");
  e.fill(o, FillWith::zero);
  for (const int j : cta.kv_blocks()) {
    e.at(i, j);
    e.load(p, P(i, j));
    e.load(v, V[j]);
    e.gemm_add(o, p, v);
  }
  e.at(i);
  e.store(O[i], o);
  e.free({p, v, o});
}

constexpr TensorRow tensors[] = {tensor_q,
                                 tensor_k,
                                 tensor_v,
                                 tensor_scores("S", StoredAs::problem, "hbm"),
                                 tensor_scores("P", StoredAs::problem, "hbm"),
                                 tensor_o(StoredAs::problem),
                                 tensor_vector("m", "sram"),
                                 tensor_vector("l", "sram"),
                                 tensor_vector("alpha", "sram")};

constexpr TileRow scores_tiles[] = {tile_q, tile_k, tile_scores("s", "S", StoredAs::f32, "sram", watched)};

constexpr TileRow softmax_tiles[] = {tile_scores("s", "S", StoredAs::problem, "sram", watched)};

constexpr TileRow two_pass_tiles[] = {
    tile_scores("s", "S", StoredAs::problem, "sram", watched), tile_vector("m", "m", "sram", watched),
    tile_vector("l", "l", "sram", watched), tile_vector("alpha", "alpha", "sram")};

constexpr TileRow output_tiles[] = {tile_scores("p", "P", StoredAs::problem, "sram"), tile_v, tile_o("sram")};

constexpr LaunchRow kernels[] = {{"scores", scores, Grid::per_q_block, Axis::q, scores_tiles},
                                 {"softmax", softmax, Grid::per_q_block, Axis::q, softmax_tiles},
                                 {"softmax", softmax_two_pass, Grid::per_q_block, Axis::q, two_pass_tiles},
                                 {"output", output, Grid::per_q_block, Axis::q, output_tiles}};

std::vector<Launch> launches(const Problem& p, const Tiling& tiling, const Arch& arch) {
  const std::int64_t rows = whole_rows_that_fit(p, tiling, arch);
  const Tiling row_tiling{rows, std::max<std::int64_t>(1, p.n_kv), tiling.order};
  return {{&kernels[0], tiling},
          rows > 0 ? Launch{&kernels[1], row_tiling} : Launch{&kernels[2], tiling},
          {&kernels[3], tiling}};
}

// The lecture's and the paper's count: every operand of every kernel is read once.
Theory theory(const Problem& p, const Tiling&) {
  return {true, bytes_of(p, 4 * score_elements(p) + 2 * q_elements(p) + 2 * kv_elements(p)), "4N^2 + 4Nd"};
}

constexpr std::string_view fault_names[] = {"causal_off_by_one", "stale_tile", "double_load"};

}  // namespace

extern const Algorithm standard = {
    "standard",
    "standard attention",
    "Dao et al. 2022, Alg. 0",
    "standard.cpp",
    true,
    tensors,
    launches,
    theory,
    fault_names,
    "computes all of S, whatever the mask; K and V are re-read once a query block"};

}  // namespace tilewalk
