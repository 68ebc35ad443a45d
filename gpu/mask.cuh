// Masks on the device: the same questions, with the same answers, as sim/mask.h.
#pragma once

#include "gpu/params.h"

namespace tilewalk::gpu {

// Queries [row, row + rows) and keys [col, col + cols) of the score matrix.
struct Area {
  std::int64_t row, col;
  int rows, cols;
};

// The block map is no tensor: it says what to compute, and is not counted.
__device__ inline std::int64_t map_word(const std::int64_t* word) { return __ldg(word); }

// Ones of the map among blocks [r0, r1) x [c0, c1).
__device__ inline std::int64_t map_ones(const BlockMapParams& map, std::int64_t r0, std::int64_t c0,
                                        std::int64_t r1, std::int64_t c1) {
  const std::int64_t width = map.cols + 1;
  const std::int64_t *upper = map.ones_before + r0 * width, *lower = map.ones_before + r1 * width;
  return map_word(lower + c1) - map_word(upper + c1) - map_word(lower + c0) + map_word(upper + c0);
}

// Ones among the map's blocks that the area touches; *blocks: how many these are.
__device__ inline std::int64_t map_ones_in(const BlockMapParams& map, const Area& area,
                                           std::int64_t* blocks) {
  const std::int64_t r0 = area.row / map.block_rows, r1 = (area.row + area.rows - 1) / map.block_rows + 1;
  const std::int64_t c0 = area.col / map.block_cols, c1 = (area.col + area.cols - 1) / map.block_cols + 1;
  *blocks = (r1 - r0) * (c1 - c0);
  return map_ones(map, r0, c0, r1, c1);
}

// Query i sees key j.
__device__ inline bool sees(const KernelParams& p, std::int64_t i, std::int64_t j) {
  const std::int64_t distance = j - (i + p.n_kv - p.n_q);
  if (distance < p.mask.first || distance > p.mask.last) return false;
  const BlockMapParams& map = p.mask.map;
  if (map.ones_before == nullptr) return true;
  const std::int64_t r = i / map.block_rows, c = j / map.block_cols;
  return map_ones(map, r, c, r + 1, c + 1) != 0;
}

// Smallest and largest distance from the diagonal in the area.
__device__ inline std::int64_t least_distance(const KernelParams& p, const Area& area) {
  return area.col - (area.row + area.rows - 1) - (p.n_kv - p.n_q);
}
__device__ inline std::int64_t most_distance(const KernelParams& p, const Area& area) {
  return (area.col + area.cols - 1) - area.row - (p.n_kv - p.n_q);
}

// No query of the area sees a key of it.
__device__ inline bool skips(const KernelParams& p, const Area& area) {
  if (area.rows <= 0 || area.cols <= 0) return true;
  if (most_distance(p, area) < p.mask.first || least_distance(p, area) > p.mask.last) return true;
  std::int64_t blocks = 0;
  return p.mask.map.ones_before != nullptr && map_ones_in(p.mask.map, area, &blocks) == 0;
}

// Every query of the area sees every key of it.
__device__ inline bool fills(const KernelParams& p, const Area& area) {
  if (area.rows <= 0 || area.cols <= 0) return true;
  if (least_distance(p, area) < p.mask.first || most_distance(p, area) > p.mask.last) return false;
  std::int64_t blocks = 0;
  return p.mask.map.ones_before == nullptr || map_ones_in(p.mask.map, area, &blocks) == blocks;
}

}  // namespace tilewalk::gpu
