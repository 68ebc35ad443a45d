#include <algorithm>
#include <cstdint>

#include "gpu/api.h"
#include "gpu/shared_layout.h"
#include "gpu/source_files.h"
#include "sim/error.h"

namespace tilewalk::gpu {
namespace {

constexpr std::string_view standard_faults[] = {"causal_off_by_one", "stale_tile", "double_load"};
constexpr std::string_view flash_faults[] = {"no_rescale",        "per_tile_softmax", "skip_tail_mask",
                                             "causal_off_by_one", "stale_tile",       "double_load",
                                             "missing_barrier"};

constexpr KernelRow table[] = {
    {"standard_naive", "standard", "three kernels; S and P go through HBM", standard_faults},
    {"flash1_scalar", "flash1", "K/V outer; O, l and m go back to HBM after each tile", flash_faults},
    {"flash2_scalar", "flash2", "Q outer; m, l and O stay on chip", flash_faults},
};

constexpr std::size_t least_shared_memory = 163 * 1024;  // a block's, of compute capability 8.0

std::size_t shared_bytes(const Problem& p, const Tiling& tiling) {
  const TileParams t{static_cast<int>(tiling.block_q), static_cast<int>(tiling.block_kv), false};
  if (p.dtype == tilewalk::DType::f32) return TileLayout<float>(nullptr, t, p.d).bytes;
  return TileLayout<std::uint16_t>(nullptr, t, p.d).bytes;
}

}  // namespace

std::span<const KernelRow> kernels() { return table; }

const KernelRow& kernel_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const KernelRow& row : table) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw RequestError("--kernel: " + unknown_name("kernel", name, names));
}

Tiling default_tiling(const Problem& p, const Tiling& wanted) {
  Tiling tiling = wanted;
  if (wanted.block_q == 0) tiling.block_q = 64;
  if (wanted.block_kv == 0) tiling.block_kv = 64;
  while (shared_bytes(p, tiling) > least_shared_memory) {
    const bool may_q = wanted.block_q == 0 && tiling.block_q > 1;
    const bool may_kv = wanted.block_kv == 0 && tiling.block_kv > 1;
    if (!may_q && !may_kv) break;
    (may_kv && (!may_q || tiling.block_kv >= tiling.block_q) ? tiling.block_kv : tiling.block_q) /= 2;
  }
  return tiling;
}

std::uint64_t kernel_source_hash() {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const auto& [path, bytes] : sources::files()) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace tilewalk::gpu
