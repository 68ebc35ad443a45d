// A run with every name resolved and every number filled in: what schedules, costs and machines read.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/algorithm.h"
#include "sim/arch.h"
#include "sim/problem.h"

namespace tilewalk {

struct Fault;

constexpr std::size_t max_tensors = 12;

struct Tensor {
  std::string_view name;
  Axis rows, cols;
  std::int64_t n_rows, n_cols;  // of one instance
  DType type;
  int level;  // home
  bool counted;

  std::uint64_t bytes(const Problem& problem) const;  // of all instances; K and V: of all kv_heads
};

class TensorTable {
 public:
  TensorTable() = default;
  TensorTable(const Algorithm& algorithm, const Problem& problem, const Arch& arch);

  std::size_t size() const { return tensors_.size(); }
  const Tensor& operator[](std::size_t n) const { return tensors_[n]; }
  auto begin() const { return tensors_.begin(); }
  auto end() const { return tensors_.end(); }
  int find(std::string_view name) const;  // -1: no such tensor

 private:
  std::vector<Tensor> tensors_;
};

// A buffer of one CTA. Edge tiles use less of it.
struct Tile {
  std::string_view name;
  int tensor;
  Axis rows, cols;
  std::int64_t most_rows, most_cols;
  DType type;
  int level;
  bool watched;

  std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(most_rows) * static_cast<std::uint64_t>(most_cols) * size_of(type);
  }
};

// A launch with its numbers. CTA c works on instance c / blocks and on block c % blocks of its grid.
struct Kernel {
  const LaunchRow* row;
  Tiling tiling;
  std::int64_t q_blocks, kv_blocks;  // kv_blocks is at least 1, so that K/V-outer algorithms still write O
  std::int64_t blocks, ctas;
  std::vector<Tile> tiles;

  int find(std::string_view tile) const;  // -1: no such tile
  std::uint64_t footprint(int level) const;
  // Start and size of block n of an axis.
  std::int64_t start(Axis axis, std::int64_t n) const;
  std::int64_t extent(Axis axis, std::int64_t n, const Problem& problem) const;
  Rect rect(std::int64_t i, std::int64_t j, const Problem& problem) const;
};

struct RunConfig {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  Tiling tiling;
  Arch arch;
  const Fault* fault = nullptr;
};

struct Plan {
  RunConfig config;  // arch: capacities in bytes
  TensorTable tensors;
  std::vector<Kernel> kernels;
  std::array<std::array<std::vector<int>, max_levels>, max_levels> via;  // levels passed on the way

  const Algorithm& algorithm() const { return *config.algorithm; }
  const Problem& problem() const { return config.problem; }
  // How many blocks of the grid have the same events as this one, but for their place, and are counted by
  // walking this one; 0 when another stands for it. Where neither a mask nor a fault tells query blocks
  // apart, the first stands for all but the last, which may be ragged.
  std::int64_t stands_for(const Kernel& kernel, std::int64_t block) const;
  // Bytes of one instance of a level that the kernel with the largest need takes.
  std::uint64_t footprint(int level) const;
  // "" when every kernel fits every level; else what is asked and what there is.
  std::string misfit() const;
};

// Resolves without checking that the tiles fit. Throws RequestError for a request that makes no sense.
Plan draft_plan(RunConfig config);

// The same, and throws RequestError (with what would fit) when a level is too small or the fault cannot show.
std::shared_ptr<const Plan> make_plan(RunConfig config);

enum class TilingMode : std::uint8_t { fit, paper };

struct TilingRequest {
  TilingMode mode = TilingMode::fit;
  std::int64_t block_q = 0, block_kv = 0;  // 0: choose
  Order order = Order::ascending;
};

// Block sizes for the request: DESIGN's rule, from the paper's Bc = ceil(M/4d), Br = min(Bc, d).
Tiling choose_tiling(const TilingRequest& request, const Algorithm& algorithm, const Problem& problem,
                     const Arch& arch);

}  // namespace tilewalk
