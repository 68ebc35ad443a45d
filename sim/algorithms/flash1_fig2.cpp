// FlashAttention as the paper's Fig. 2 counts it: as flash1, but O is 16 bit in HBM and not read on the first
// pass, and l and m are not counted.
#include "sim/algorithms/flash1_tiles.h"

namespace tilewalk {
namespace {

void flash1_fig2_cta(const Cta& cta, Emitter& e) {
  const auto Q = e.tensor("Q"), K = e.tensor("K"), V = e.tensor("V"), O = e.tensor("O");
  const auto L = e.tensor("l"), M = e.tensor("m");
  const auto q = e.alloc("q"), k = e.alloc("k"), v = e.alloc("v"), s = e.alloc("s"), o = e.alloc("o");
  const auto l = e.alloc("l"), m = e.alloc("m"), l_tile = e.alloc("l_tile"), m_tile = e.alloc("m_tile");
  const auto alpha = e.alloc("alpha"), beta = e.alloc("beta");
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
        e.fill(l, FillWith::zero);
        e.fill(m, FillWith::minus_infinity);
      } else {
        e.load(o, O[i]);
        e.load(l, L[i]);
        e.load(m, M[i]);
      }
      if (!cta.skips(i, j)) {
        e.load(q, Q[i]);
        e.gemm(s, q, k.T(), Gemm::scaled);
        if (cta.crosses(i, j)) e.mask(s);
        e.block_softmax(s, m_tile, l_tile);
        e.rescale(o, l);
        e.merge(m, l, m_tile, l_tile, alpha, beta);
        e.rescale(o, alpha);
        e.gemm_add(o, s, v, beta);
        e.normalize(o, l);
      }
      e.store(O[i], o);
      e.store(L[i], l);
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
                                 tensor_o(StoredAs::problem),
                                 tensor_vector("l", "hbm", not_counted),
                                 tensor_vector("m", "hbm", not_counted),
                                 tensor_vector("l_tile", "sram"),
                                 tensor_vector("m_tile", "sram"),
                                 tensor_vector("alpha", "sram"),
                                 tensor_vector("beta", "sram")};

constexpr LaunchRow kernels[] = {{"flash1", flash1_fig2_cta, Grid::per_head, Axis::kv, flash1_tiles}};

std::vector<Launch> launches(const Problem&, const Tiling& tiling, const Arch&) {
  return {{&kernels[0], tiling}};
}

Theory theory(const Problem& p, const Tiling& t) {
  if (!p.mask.is_none() || p.n_kv == 0) return {};
  const double passes = kv_block_count(p, t);
  return {true, bytes_of(p, 2 * kv_elements(p) + (3 * passes - 1) * q_elements(p)), "(3Tc+1)Nd"};
}

constexpr std::string_view fault_names[] = {"no_rescale",     "per_tile_softmax",  "stale_max",
                                            "skip_tail_mask", "causal_off_by_one", "stale_tile",
                                            "double_load"};

}  // namespace

extern const Algorithm flash1_fig2 = {
    "flash1_fig2",
    "FlashAttention, counted as in the paper's Fig. 2",
    "Dao et al. 2022, Fig. 2",
    "flash1_fig2.cpp",
    true,
    tensors,
    launches,
    theory,
    fault_names,
    "O is rounded to the problem's dtype at every pass; l and m move but are not counted"};

}  // namespace tilewalk
