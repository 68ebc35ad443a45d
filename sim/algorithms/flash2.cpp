// FlashAttention-2 forward (Dao 2023, Alg. 1): Q outer. One CTA owns one query block, walks the key blocks
// and keeps m, l and O on chip until the end. S and P never leave it.
#include "sim/algorithms/common.h"

namespace tilewalk {
namespace {

void flash2_cta(const Cta& cta, Emitter& e) {
  const auto Q = e.tensor("Q"), K = e.tensor("K"), V = e.tensor("V"), O = e.tensor("O"), L = e.tensor("L");
  const int i = cta.block;
  e.at(i);
  const auto q = e.alloc("q"), k = e.alloc("k"), v = e.alloc("v"), s = e.alloc("s");
  const auto m = e.alloc("m"), l = e.alloc("l"), alpha = e.alloc("alpha"), o = e.alloc("o"),
             lse = e.alloc("lse");
  e.load(q, Q[i]);                      // line 4
  e.fill(m, FillWith::minus_infinity);  // line 5
  e.fill(l, FillWith::zero);
  e.fill(o, FillWith::zero);
  for (const int j : cta.kv_blocks()) {  // line 6
    if (cta.skips(i, j)) continue;
    e.at(i, j);
    e.load(k, K[j]);  // line 7
    e.load(v, V[j]);
    e.gemm(s, q, k.T(), Gemm::scaled);  // line 8: S = scale Q K^T
    if (cta.crosses(i, j)) e.mask(s);
    e.online_softmax(s, m, l, alpha);  // line 9: P = exp(S - m')
    e.rescale(o, alpha);               // line 10: O = diag(exp(m - m')) O + P V
    e.gemm_add(o, s, v);
  }
  e.at(i);
  e.normalize(o, l, m, lse);  // lines 12-13: O = diag(l)^-1 O, L = m + log l
  e.store(O[i], o);           // lines 14-15
  e.store(L[i], lse);
  e.free({q, k, v, s, m, l, alpha, o, lse});
}

constexpr TensorRow tensors[] = {tensor_q,
                                 tensor_k,
                                 tensor_v,
                                 tensor_scores("S", StoredAs::f32, "reg"),
                                 tensor_o(StoredAs::problem),
                                 tensor_vector("L", "hbm"),
                                 tensor_vector("m", "reg"),
                                 tensor_vector("l", "reg"),
                                 tensor_vector("alpha", "reg")};

constexpr TileRow tiles[] = {tile_q,
                             tile_k,
                             tile_v,
                             tile_scores("s", "S", StoredAs::f32, "reg"),
                             tile_vector("m", "m", "reg", watched),
                             tile_vector("l", "l", "reg", watched),
                             tile_vector("alpha", "alpha", "reg"),
                             tile_o("reg"),
                             tile_vector("lse", "L", "reg")};

constexpr LaunchRow kernels[] = {{"flash2", flash2_cta, Grid::per_q_block, Axis::q, tiles}};

std::vector<Launch> launches(const Problem&, const Tiling& tiling, const Arch&) {
  return {{&kernels[0], tiling}};
}

Theory theory(const Problem& p, const Tiling& t) {
  if (!p.mask.is_none() || p.n_kv == 0) return {};
  const double loads = q_elements(p) + 2 * q_block_count(p, t) * kv_elements(p);
  return {true, bytes_of(p, loads + q_elements(p)) + rows_f32_bytes(p), "(2+2Tr)Nd + N"};
}

constexpr std::string_view fault_names[] = {"no_rescale",     "per_tile_softmax",  "stale_max",
                                            "skip_tail_mask", "causal_off_by_one", "stale_tile",
                                            "double_load"};

}  // namespace

extern const Algorithm flash2 = {"flash2",
                                 "FlashAttention-2, Q outer",
                                 "Dao 2023, Alg. 1",
                                 "flash2.cpp",
                                 true,
                                 tensors,
                                 launches,
                                 theory,
                                 fault_names,
                                 "L, the log-sum-exp of each row, is a tensor of its own"};

}  // namespace tilewalk
