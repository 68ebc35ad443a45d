// FlashAttention (Dao et al. 2022, Alg. 1), to the letter: K/V outer; O, l and m go back to HBM after each
// tile, and O is always kept normalised.
#include "sim/algorithms/flash1_tiles.h"

namespace tilewalk {
namespace {

// Line 2: O = 0, l = 0, m = -infinity in HBM.
void init(const Cta& cta, Emitter& e) {
  const auto O = e.tensor("O"), L = e.tensor("l"), M = e.tensor("m");
  const int i = cta.block;
  e.at(i);
  const auto o = e.alloc("o"), l = e.alloc("l"), m = e.alloc("m");
  e.fill(o, FillWith::zero);
  e.fill(l, FillWith::zero);
  e.fill(m, FillWith::minus_infinity);
  e.store(O[i], o);
  e.store(L[i], l);
  e.store(M[i], m);
  e.free({o, l, m});
}

void flash1_cta(const Cta& cta, Emitter& e) {
  const auto Q = e.tensor("Q"), K = e.tensor("K"), V = e.tensor("V"), O = e.tensor("O");
  const auto L = e.tensor("l"), M = e.tensor("m");
  const auto q = e.alloc("q"), k = e.alloc("k"), v = e.alloc("v"), s = e.alloc("s"), o = e.alloc("o");
  const auto l = e.alloc("l"), m = e.alloc("m"), l_tile = e.alloc("l_tile"), m_tile = e.alloc("m_tile");
  const auto alpha = e.alloc("alpha"), beta = e.alloc("beta");
  for (const int j : cta.kv_blocks()) {  // line 5
    e.at(none, j);
    e.load(k, K[j]);  // line 6
    e.load(v, V[j]);
    for (const int i : cta.q_blocks()) {  // line 7
      if (cta.skips(i, j)) continue;
      e.at(i, j);
      e.load(q, Q[i]);  // line 8
      e.load(o, O[i]);
      e.load(l, L[i]);
      e.load(m, M[i]);
      e.gemm(s, q, k.T(), Gemm::scaled);  // line 9
      if (cta.crosses(i, j)) e.mask(s);
      e.block_softmax(s, m_tile, l_tile);          // line 10
      e.rescale(o, l);                             // line 12: diag(l) O
      e.merge(m, l, m_tile, l_tile, alpha, beta);  // line 11
      e.rescale(o, alpha);                         // line 12: times exp(m - m')
      e.gemm_add(o, s, v, beta);                   // line 12: plus exp(m_tile - m') P V
      e.normalize(o, l);                           // line 12: diag(l')^-1
      e.store(O[i], o);
      e.store(L[i], l);  // line 13
      e.store(M[i], m);
    }
  }
  e.at(none);
  e.free({q, k, v, s, o, l, m, l_tile, m_tile, alpha, beta});
}

constexpr TensorRow tensors[] = {tensor_q,
                                 tensor_k,
                                 tensor_v,
                                 tensor_scores("S", StoredAs::f32, "sram"),
                                 tensor_o(StoredAs::f32),
                                 tensor_vector("l", "hbm"),
                                 tensor_vector("m", "hbm"),
                                 tensor_vector("l_tile", "sram"),
                                 tensor_vector("m_tile", "sram"),
                                 tensor_vector("alpha", "sram"),
                                 tensor_vector("beta", "sram")};

constexpr TileRow init_tiles[] = {tile_o("sram"), tile_vector("l", "l", "sram"),
                                  tile_vector("m", "m", "sram")};

constexpr LaunchRow kernels[] = {{"init", init, Grid::per_q_block, Axis::q, init_tiles},
                                 {"flash1", flash1_cta, Grid::per_head, Axis::kv, flash1_tiles}};

std::vector<Launch> launches(const Problem&, const Tiling& tiling, const Arch&) {
  return {{&kernels[0], tiling}, {&kernels[1], tiling}};
}

// Elements: (Nd + 2N) + 2Nd + Tc(3Nd + 4N); Q, K, V in the problem's dtype, O, l, m in f32.
Theory theory(const Problem& p, const Tiling& t) {
  if (!p.mask.is_none() || p.n_kv == 0) return {};
  const double passes = kv_block_count(p, t);
  const double f32 = 4 * (2 * passes + 1) * q_elements(p) + (4 * passes + 2) * rows_f32_bytes(p);
  return {true, bytes_of(p, 2 * kv_elements(p) + passes * q_elements(p)) + f32, "(Nd+2N) + 2Nd + Tc(3Nd+4N)"};
}

constexpr std::string_view fault_names[] = {"no_rescale",     "per_tile_softmax",  "stale_max",
                                            "skip_tail_mask", "causal_off_by_one", "stale_tile",
                                            "double_load"};

}  // namespace

extern const Algorithm flash1 = {"flash1",
                                 "FlashAttention, K/V outer",
                                 "Dao et al. 2022, Alg. 1",
                                 "flash1.cpp",
                                 true,
                                 tensors,
                                 launches,
                                 theory,
                                 fault_names,
                                 "O, l and m are f32 in HBM between passes"};

}  // namespace tilewalk
