// How the scalar rungs cut the score matrix. Plain data, C++17.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define TILEWALK_BOTH __host__ __device__  // callable on both sides
#else
#define TILEWALK_BOTH
#endif

namespace tilewalk::gpu {

struct TileParams {
  int block_q = 64, block_kv = 64;
  bool descending = false;  // key blocks are walked from the last to the first
};

TILEWALK_BOTH constexpr std::int64_t block_count(std::int64_t elements, std::int64_t block) {
  return (elements + block - 1) / block;
}

}  // namespace tilewalk::gpu
