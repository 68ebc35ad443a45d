#include "sim/fault.h"

#include <algorithm>

#include "sim/error.h"

namespace tilewalk {
namespace {

bool is_softmax(Op op) { return op == Op::block_softmax || op == Op::online_softmax || op == Op::merge; }

bool several_key_blocks(const Plan& plan) {
  return plan.kernels.back().kv_blocks >= 2 && plan.problem().n_q > 0;
}

bool ragged_key_blocks(const Plan& plan) {
  const Problem& p = plan.problem();
  return p.n_kv > plan.config.tiling.block_kv && p.n_kv % plan.config.tiling.block_kv != 0 && p.n_q > 0;
}

// A tile of a single score has no room for a key too many.
bool causal(const Plan& plan) {
  const Problem& p = plan.problem();
  const Tiling& tiling = plan.config.tiling;
  return p.mask.is_causal() && p.n_q > 1 && p.n_kv > 1 && tiling.block_q * tiling.block_kv > 1;
}

// The sums gathered so far stay measured against an older, smaller maximum.
int no_rescale(Event& e, const Plan& plan) {
  const auto& tiles = plan.kernels[e.launch].tiles;
  return e.op == Op::rescale && tiles[e.operand[1]].name == "alpha" ? 0 : 1;
}

int per_tile_softmax(Event& e, const Plan&) {
  if (is_softmax(e.op)) e.flags |= flag::per_tile;
  return 1;
}

int stale_max(Event& e, const Plan&) {
  if (is_softmax(e.op)) e.flags |= flag::stale_max;
  return 1;
}

int skip_tail_mask(Event& e, const Plan& plan) {
  const Kernel& kernel = plan.kernels[e.launch];
  if (is_softmax(e.op) && e.col == kernel.kv_blocks - 1) e.flags |= flag::unmasked_tail;
  return 1;
}

int causal_off_by_one(Event& e, const Plan&) {
  if (e.op == Op::mask) e.flags |= flag::shifted_mask;
  return 1;
}

// The second on the walk, where the first was not skipped (its tile would still be unwritten).
bool loads_second_key_block(const Event& e, const Plan& plan) {
  const Kernel& kernel = plan.kernels[e.launch];
  const Problem& p = plan.problem();
  const int last = static_cast<int>(kernel.kv_blocks) - 1;
  const bool descending = kernel.tiling.order == Order::descending;
  const int first = descending ? last : 0, second = descending ? last - 1 : 1;
  if (e.op != Op::load || e.col != second || plan.tensors[e.tensor].name != "K") return false;
  return e.row < 0 || !p.mask.skips(kernel.rect(e.row, first, p), p.shift());
}

int stale_tile(Event& e, const Plan& plan) { return loads_second_key_block(e, plan) ? 0 : 1; }

int double_load(Event& e, const Plan& plan) { return loads_second_key_block(e, plan) ? 2 : 1; }

constexpr std::string_view two_blocks = "two key blocks or more: choose a smaller --block-kv or a larger --n";

constexpr Fault table[] = {
    {"no_rescale", "O is not rescaled when the running maximum grows", two_blocks, several_key_blocks,
     no_rescale},
    {"per_tile_softmax", "each tile is normalised by itself and added, without a merge", two_blocks,
     several_key_blocks, per_tile_softmax},
    {"stale_max", "new weights are measured against the old maximum", two_blocks, several_key_blocks,
     stale_max},
    {"skip_tail_mask", "the padding of the last key block is not masked",
     "a last key block that is not full: choose --n or --n-kv not divisible by --block-kv", ragged_key_blocks,
     skip_tail_mask},
    {"causal_off_by_one", "every row sees one key of the future", "a causal mask and two rows: --mask causal",
     causal, causal_off_by_one},
    {"stale_tile", "the second block of K is not loaded: what was there before is used", two_blocks,
     several_key_blocks, stale_tile},
    {"double_load", "the second block of K is loaded twice", two_blocks, several_key_blocks, double_load},
};

}  // namespace

std::span<const Fault> faults() { return table; }

const Fault& fault_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Fault& fault : table) {
    if (fault.name == name) return fault;
    names.push_back(fault.name);
  }
  throw RequestError("--fault: " + unknown_name("fault", name, names));
}

void check_applies(const Fault& fault, const Plan& plan) {
  const auto& known = plan.algorithm().faults;
  const std::string name(fault.name);
  if (std::find(known.begin(), known.end(), fault.name) == known.end()) {
    throw RequestError("--fault: " +
                       unknown_name("fault of " + std::string(plan.algorithm().name), name, known));
  }
  if (!fault.can_show(plan))
    throw RequestError("--fault " + name + ": does not show here; it needs " + std::string(fault.needs));
}

}  // namespace tilewalk
