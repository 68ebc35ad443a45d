#include "sim/hbm.h"

#include <algorithm>
#include <cstring>

#include "sim/blocks.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<std::size_t>(a.size())) == 0;
}

bool same_block(const Block* a, const Block* b) {
  if (a == b) return true;
  return a && b && a->writes == b->writes && same_bits(a->values, b->values);
}

}  // namespace

bool Block::complete() const { return std::find(writes.begin(), writes.end(), 0) == writes.end(); }

HbmTensor::HbmTensor(std::int64_t instances, std::int64_t rows, std::int64_t cols, std::int64_t block_rows,
                     std::int64_t block_cols)
    : instances_(instances),
      rows_(rows),
      cols_(cols),
      block_rows_(std::max<std::int64_t>(1, block_rows)),
      block_cols_(std::max<std::int64_t>(1, block_cols)),
      grid_rows_(blocks_of(rows, block_rows_)),
      grid_cols_(blocks_of(cols, block_cols_)),
      strips_(static_cast<std::size_t>(instances * grid_rows_)) {}

std::int64_t HbmTensor::block_height(std::int64_t r) const {
  return std::min(block_rows_, rows_ - r * block_rows_);
}
std::int64_t HbmTensor::block_width(std::int64_t c) const {
  return std::min(block_cols_, cols_ - c * block_cols_);
}

// Outside the tensor nothing was ever written, as in one without elements.
const Block* HbmTensor::block(std::int64_t instance, std::int64_t r, std::int64_t c) const {
  if (r < 0 || c < 0 || c * block_cols_ >= cols_ || strip_index(instance, r) >= strips_.size())
    return nullptr;
  const auto& strip = strips_[strip_index(instance, r)];
  return strip ? (*strip)[static_cast<std::size_t>(c)].get() : nullptr;
}

Block& HbmTensor::own(std::int64_t instance, std::int64_t r, std::int64_t c) {
  auto& strip = strips_[strip_index(instance, r)];
  if (!strip) {
    strip = std::make_shared<Strip>(static_cast<std::size_t>(grid_cols_));
  } else if (strip.use_count() > 1) {
    strip = std::make_shared<Strip>(*strip);
  }
  auto& cell = (*strip)[static_cast<std::size_t>(c)];
  if (!cell) {
    cell = std::make_shared<Block>();
    cell->values = Matrix::Zero(block_height(r), block_width(c));
    cell->writes.assign(static_cast<std::size_t>(block_height(r)), 0);
  } else if (cell.use_count() > 1) {
    cell = std::make_shared<Block>(*cell);
  }
  return *cell;
}

void HbmTensor::set(const std::vector<float>& values) {
  const Eigen::Map<const Matrix> all(values.data(), instances_ * rows_, cols_);
  for (std::int64_t instance = 0; instance < instances_; ++instance) {
    for (std::int64_t r = 0; r < grid_rows_; ++r) {
      for (std::int64_t c = 0; c < grid_cols_; ++c) {
        Block& cell = own(instance, r, c);
        cell.values =
            all.block(instance * rows_ + r * block_rows_, c * block_cols_, block_height(r), block_width(c));
        std::fill(cell.writes.begin(), cell.writes.end(), std::uint8_t{1});
        cell.known_finite = cell.values.allFinite();
      }
    }
  }
}

void HbmTensor::check_inside(std::int64_t instance, const Rect& rect) const {
  const bool inside = instance >= 0 && instance < instances_ && rect.row >= 0 && rect.rows >= 0 &&
                      rect.row + rect.rows <= rows_ && rect.col >= 0 && rect.cols >= 0 &&
                      rect.col + rect.cols <= cols_;
  if (!inside)
    throw ScheduleError("is touched outside its " + std::to_string(rows_) + " x " + std::to_string(cols_));
}

std::shared_ptr<Block> HbmTensor::read(std::int64_t instance, const Rect& rect) const {
  check_inside(instance, rect);
  auto result = std::make_shared<Block>();
  if (rect.rows == 0 || rect.cols == 0) {
    result->values.resize(rect.rows, rect.cols);
    return result;
  }
  const std::int64_t r0 = rect.row / block_rows_, r1 = blocks_of(rect.row + rect.rows, block_rows_);
  const std::int64_t c0 = rect.col / block_cols_, c1 = blocks_of(rect.col + rect.cols, block_cols_);
  const bool aligned =
      r1 - r0 == 1 && c1 - c0 == 1 && rect.rows == block_height(r0) && rect.cols == block_width(c0);
  if (!aligned) result->values.resize(rect.rows, rect.cols);
  for (std::int64_t r = r0; r < r1; ++r) {
    const std::int64_t first = std::max(rect.row, r * block_rows_);
    const std::int64_t count = std::min(rect.row + rect.rows, r * block_rows_ + block_height(r)) - first;
    for (std::int64_t c = c0; c < c1; ++c) {
      const Block* cell = block(instance, r, c);
      const std::int64_t offset = first - r * block_rows_;
      if (!cell || std::find(cell->writes.begin() + offset, cell->writes.begin() + offset + count, 0) !=
                       cell->writes.begin() + offset + count) {
        throw ScheduleError("is read at row " + std::to_string(first) + " before it was written");
      }
      if (aligned) return (*strips_[strip_index(instance, r)])[static_cast<std::size_t>(c)];
      result->values.block(first - rect.row, c * block_cols_ - rect.col, count, block_width(c)) =
          cell->values.middleRows(offset, count);
    }
  }
  return result;
}

void HbmTensor::write(std::int64_t instance, const Rect& rect, const MatrixView& values, DType type) {
  check_inside(instance, rect);
  if (rect.rows == 0 || rect.cols == 0) return;
  for (std::int64_t r = rect.row / block_rows_; r * block_rows_ < rect.row + rect.rows; ++r) {
    const std::int64_t first = std::max(rect.row, r * block_rows_);
    const std::int64_t count = std::min(rect.row + rect.rows, r * block_rows_ + block_height(r)) - first;
    for (std::int64_t c = rect.col / block_cols_; c * block_cols_ < rect.col + rect.cols; ++c) {
      Block& cell = own(instance, r, c);
      for (std::int64_t n = 0; n < count; ++n) {
        auto row = cell.values.row(first - r * block_rows_ + n);
        row = values.row(first - rect.row + n).segment(c * block_cols_ - rect.col, block_width(c));
        round_in_place({row.data(), static_cast<std::size_t>(row.size())}, type);
        std::uint8_t& writes = cell.writes[static_cast<std::size_t>(first - r * block_rows_ + n)];
        if (writes < 255) ++writes;
      }
    }
  }
}

float HbmTensor::at(std::int64_t instance, std::int64_t row, std::int64_t col) const {
  if (row < 0 || col < 0) return 0;
  const Block* cell = block(instance, row / block_rows_, col / block_cols_);
  return cell ? cell->values(row % block_rows_, col % block_cols_) : 0;
}

int HbmTensor::writes(std::int64_t instance, std::int64_t row, std::int64_t col) const {
  if (row < 0 || row >= rows_ || col < 0) return 0;
  const Block* cell = block(instance, row / block_rows_, col / block_cols_);
  return cell ? cell->writes[static_cast<std::size_t>(row % block_rows_)] : 0;
}

std::vector<float> HbmTensor::values() const {
  std::vector<float> result(static_cast<std::size_t>(instances_ * rows_ * cols_));
  Eigen::Map<Matrix> all(result.data(), instances_ * rows_, cols_);
  for (std::int64_t instance = 0; instance < instances_; ++instance) {
    for (std::int64_t r = 0; r < grid_rows_; ++r) {
      for (std::int64_t c = 0; c < grid_cols_; ++c) {
        const Block* cell = block(instance, r, c);
        if (!cell) continue;
        all.block(instance * rows_ + r * block_rows_, c * block_cols_, block_height(r), block_width(c)) =
            cell->values;
      }
    }
  }
  return result;
}

bool HbmTensor::same_as(const HbmTensor& other) const {
  if (strips_.size() != other.strips_.size() || grid_cols_ != other.grid_cols_) return false;
  for (std::int64_t instance = 0; instance < instances_; ++instance) {
    for (std::int64_t r = 0; r < grid_rows_; ++r) {
      for (std::int64_t c = 0; c < grid_cols_; ++c) {
        if (!same_block(block(instance, r, c), other.block(instance, r, c))) return false;
      }
    }
  }
  return true;
}

}  // namespace tilewalk
