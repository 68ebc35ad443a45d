#include <algorithm>
#include <cstdint>

#include "gpu/api.h"
#include "gpu/flash2_mma_tile.h"
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
    {"standard_naive", "standard", "three kernels; S and P go through HBM", standard_faults, true},
    {"standard_cublas", "standard", "the library's matrix products and our softmax: the baseline", {}, false},
    {"flash1_scalar", "flash1", "K/V outer; O, l and m go back to HBM after each tile", flash_faults, true},
    {"flash2_scalar", "flash2", "Q outer; m, l and O stay on chip", flash_faults, true},
    {"flash2_mma", "flash2", "the same on tensor cores, with asynchronous copies", flash_faults, true},
};

constexpr std::size_t least_shared_memory = 163 * 1024;  // a block's, of compute capability 8.0; 9.0 has more

std::size_t shared_bytes(const Problem& p, const Tiling& tiling) {
  const TileParams t{static_cast<int>(tiling.block_q), static_cast<int>(tiling.block_kv), false};
  if (p.dtype == tilewalk::DType::f32) return TileLayout<float>(nullptr, t, p.d).bytes;
  return TileLayout<std::uint16_t>(nullptr, t, p.d).bytes;
}

}  // namespace

std::span<const KernelRow> kernels() { return table; }

const KernelRow& kernel_named(std::string_view name, std::string_view flag) {
  std::vector<std::string_view> names;
  for (const KernelRow& row : table) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw RequestError(std::string(flag) + ": " + unknown_name("kernel", name, names));
}

bool has_fixed_tiling(const KernelRow& kernel) { return kernel.name == "flash2_mma"; }

namespace {

Tiling fixed_tiling(const KernelRow& kernel, const Problem& p, const Tiling& wanted) {
  const KernelTile tile = flash2_mma_tile(p.d);
  const std::string name(kernel.name),
      sizes = std::to_string(tile.block_q) + " x " + std::to_string(tile.block_kv);
  if (tile.block_q == 0)
    throw RequestError("--d " + std::to_string(p.d) + ": " + name + " takes d from 1 to 256");
  if ((wanted.block_q != 0 && wanted.block_q != tile.block_q) ||
      (wanted.block_kv != 0 && wanted.block_kv != tile.block_kv)) {
    throw RequestError("--block-q, --block-kv: " + name + " is built for tiles of " + sizes + " at d " +
                       std::to_string(p.d) + "; leave them out");
  }
  if (wanted.order == Order::descending)
    throw RequestError("--order: " + name + " walks key blocks ascending");
  return {tile.block_q, tile.block_kv, wanted.order};
}

}  // namespace

Tiling kernel_tiling(const KernelRow& kernel, const Problem& p, const Tiling& wanted) {
  if (has_fixed_tiling(kernel)) return fixed_tiling(kernel, p, wanted);
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

std::string unsupported(const KernelRow& kernel, const Problem& p, const Tiling& t, std::string_view fault) {
  constexpr std::int64_t most_block = 64, most_d = 256;
  const std::string name(kernel.name);
  if (kernel.traceable && p.d > most_d)
    return "--d " + std::to_string(p.d) + ": " + name + " takes d up to 256";
  if (kernel.traceable && !has_fixed_tiling(kernel) && (t.block_q > most_block || t.block_kv > most_block)) {
    return "--block-q " + std::to_string(t.block_q) + " --block-kv " + std::to_string(t.block_kv) + ": " +
           name + " takes blocks up to 64";
  }
  if (has_fixed_tiling(kernel) && p.dtype == tilewalk::DType::f32) {
    return "--dtype f32: the tensor cores of " + name + " take f16 and bf16; flash2_scalar takes f32";
  }
  if (p.n_q > INT32_MAX || p.n_kv > INT32_MAX) return "--n: " + name + " takes sequences up to 2^31 - 1";
  if (fault.empty()) return "";
  if (std::find(kernel.faults.begin(), kernel.faults.end(), fault) == kernel.faults.end())
    return "--fault: " + unknown_name("fault of " + name, fault, kernel.faults);
  if (p.dtype != tilewalk::DType::f16) return "--fault: broken kernels exist in f16 only";
  if (has_fixed_tiling(kernel) && (p.d > 64 || p.mask.map()))
    return "--fault: broken variants of " + name + " take d up to 64 and no block mask";
  return "";
}

std::uint64_t kernel_source_hash() {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const auto& [path, bytes] : sources::files()) {
    for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace tilewalk::gpu
