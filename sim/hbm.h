// Tensors of the outermost level, with values, as grids of blocks that copies share until one of them is
// written.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/dtype.h"
#include "sim/mask.h"

namespace tilewalk {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixView = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;

// Values of one tile. `writes` counts, per row, how often it was written: 0 marks what must not be read.
struct Block {
  Matrix values;
  std::vector<std::uint8_t> writes;
  bool known_finite = false;

  bool complete() const;
};

// One tensor for all instances: instances x rows x cols, stored in blocks of block_rows x block_cols. Copies
// are cheap: they share rows of blocks, and a write to a shared one replaces it by a copy of its own.
class HbmTensor {
 public:
  HbmTensor() = default;
  HbmTensor(std::int64_t instances, std::int64_t rows, std::int64_t cols, std::int64_t block_rows,
            std::int64_t block_cols);

  // Fills an input from row-major values and marks it as written.
  void set(const std::vector<float>& values);
  // The rectangle as a block; shared, not copied, when it is exactly one block. Throws ScheduleError if part
  // of it was never written.
  std::shared_ptr<Block> read(std::int64_t instance, const Rect& rect) const;
  // Rounds to `type` and stores. Whole blocks in columns, any rows.
  void write(std::int64_t instance, const Rect& rect, const MatrixView& values, DType type);

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  std::int64_t instances() const { return instances_; }
  float at(std::int64_t instance, std::int64_t row, std::int64_t col) const;
  int writes(std::int64_t instance, std::int64_t row, std::int64_t col) const;  // saturates at 255
  // Row-major copy of everything; rows never written are 0.
  std::vector<float> values() const;
  bool same_as(const HbmTensor& other) const;  // every value, bit for bit, and every write count

 private:
  // Throws ScheduleError for a rectangle that is not all inside the tensor.
  void check_inside(std::int64_t instance, const Rect& rect) const;
  using Strip = std::vector<std::shared_ptr<Block>>;  // the blocks of one block row; null: never written
  const Block* block(std::int64_t instance, std::int64_t block_row, std::int64_t block_col) const;
  Block& own(std::int64_t instance, std::int64_t block_row, std::int64_t block_col);
  std::int64_t block_height(std::int64_t block_row) const;
  std::int64_t block_width(std::int64_t block_col) const;
  std::size_t strip_index(std::int64_t instance, std::int64_t block_row) const {
    return static_cast<std::size_t>(instance * grid_rows_ + block_row);
  }

  std::int64_t instances_ = 0, rows_ = 0, cols_ = 0, block_rows_ = 1, block_cols_ = 1;
  std::int64_t grid_rows_ = 0, grid_cols_ = 0;
  std::vector<std::shared_ptr<Strip>> strips_;
};

}  // namespace tilewalk
