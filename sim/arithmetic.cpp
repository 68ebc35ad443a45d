// The arithmetic of events, on Eigen. Accumulators and scores are float; what a 16-bit matrix unit would read
// is rounded to the problem's dtype first. A row that sees no key has m = -inf, l = 0 and O = 0, never NaN.
#include <cmath>

#include "sim/machine.h"
#include "sim/softmax.h"

namespace tilewalk {
namespace {

using View = Eigen::Ref<Matrix, 0, Eigen::OuterStride<>>;
using Row = Eigen::Ref<Eigen::Array<float, 1, Eigen::Dynamic>>;
// One value a row. A tile of one column is contiguous.
using Vector = Eigen::Map<Eigen::ArrayXf>;
using ConstVector = Eigen::Map<const Eigen::ArrayXf>;

// Eigen's exp clamps its argument, which would give masked scores (-inf) a weight of 1e-38.
void exp_in_place(Row row) { row = (row < least_exponent).select(0.0f, row.exp()); }

float maximum(const Row& row) { return row.size() == 0 ? -infinity : row.maxCoeff<Eigen::PropagateNaN>(); }

// Operands of one event as matrices.
class Operands {
 public:
  Operands(const Event& e, const Plan& plan, MachineState& state)
      : e_(e), tiles_(plan.kernels[e.launch].tiles), state_(state) {}

  bool given(int n) const { return e_.operand[n] != no_tile; }
  const Tile& tile(int n) const { return tiles_[e_.operand[n]]; }
  const Block& block(int n) const { return *state_.tiles[e_.operand[n]].values; }

  MatrixView read(int n, std::int64_t rows, std::int64_t cols) const {
    return block(n).values.topLeftCorner(rows, cols);
  }

  // A block of this tile's own, with its contents when `keep`. A block that a tensor or snapshot shares is
  // left to them.
  View write(int n, std::int64_t rows, std::int64_t cols, bool keep) const {
    auto& values = state_.tiles[e_.operand[n]].values;
    const Tile& tile = tiles_[e_.operand[n]];
    const bool fits = values && values->values.rows() >= rows && values->values.cols() >= cols;
    if (!fits || values.use_count() > 1) {
      auto fresh = std::make_shared<Block>();
      fresh->values.resize(tile.most_rows, tile.most_cols);
      if (keep) fresh->values.topLeftCorner(rows, cols) = values->values.topLeftCorner(rows, cols);
      values = std::move(fresh);
    }
    values->known_finite = false;
    return values->values.topLeftCorner(rows, cols);
  }
  View change(int n) const { return write(n, e_.rows, e_.cols, true); }
  Vector change_vector(int n) const { return {write(n, e_.rows, 1, true).data(), e_.rows}; }
  Vector write_vector(int n) const { return {write(n, e_.rows, 1, false).data(), e_.rows}; }
  ConstVector vector(int n) const { return {block(n).values.data(), e_.rows}; }

  void round(int n, View values) const {
    if (tile(n).type == DType::f32) return;
    for (std::int64_t r = 0; r < values.rows(); ++r) {
      round_in_place({values.row(r).data(), static_cast<std::size_t>(values.cols())}, tile(n).type);
    }
  }

 private:
  const Event& e_;
  const std::vector<Tile>& tiles_;
  MachineState& state_;
};

Row row_of(View& matrix, std::int64_t r) { return matrix.row(r).array(); }

Rect tensor_rect(const Event& e, const Plan& plan) {
  const Kernel& kernel = plan.kernels[e.launch];
  const Tensor& tensor = plan.tensors[e.tensor];
  const auto start = [&](Axis axis) { return kernel.start(axis, axis == Axis::q ? e.row : e.col); };
  return {start(tensor.rows), start(tensor.cols), e.rows, e.cols};
}

std::int64_t instance_of(const Event& e, const Plan& plan) {
  const std::int64_t instance = e.cta / plan.kernels[e.launch].blocks;
  return plan.tensors[e.tensor].rows == Axis::kv ? plan.problem().kv_instance(instance) : instance;
}

// A product of weights with V in which a hidden key's NaN or infinity must not reach the row: 0 * NaN is NaN,
// so the key is left out instead.
void visible_product(const Event& e, const Plan& plan, const MatrixView& a, const MatrixView& b,
                     Matrix& result) {
  const Rect rect = plan.kernels[e.launch].rect(e.row, e.col, plan.problem());
  result.setZero(e.rows, e.cols);
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for (std::int64_t j = 0; j < e.depth; ++j) {
      if (plan.problem().visible(rect.row + r, rect.col + j)) result.row(r) += a(r, j) * b.row(j);
    }
  }
}

// The left operand as the matrix unit reads it.
MatrixView matrix_operand(const MatrixView& a, const Tile& tile, DType type, Matrix& rounded_copy) {
  if (tile.type == type || type == DType::f32) return a;
  rounded_copy = a;
  round_in_place({rounded_copy.data(), static_cast<std::size_t>(rounded_copy.size())}, type);
  return rounded_copy;
}

void multiply(const Event& e, const Plan& plan, const Operands& operands, Scratch scratch) {
  const bool ta = e.flags & flag::transpose_a, tb = e.flags & flag::transpose_b;
  const bool accumulate = e.flags & flag::accumulate;
  const MatrixView a = matrix_operand(operands.read(1, ta ? e.depth : e.rows, ta ? e.rows : e.depth),
                                      operands.tile(1), plan.problem().dtype, scratch.rounded);
  const MatrixView b = operands.read(2, tb ? e.cols : e.depth, tb ? e.depth : e.cols);
  View dst = operands.write(0, e.rows, e.cols, accumulate);
  const bool weighs_values = accumulate && operands.tile(2).rows == Axis::kv;
  const bool careful = weighs_values && !operands.block(2).known_finite && !b.allFinite();
  if (careful) {
    visible_product(e, plan, a, b, scratch.product);
  } else if (accumulate && !operands.given(3)) {
    dst.noalias() += a * b;
    return;
  } else if (tb) {
    dst.noalias() = a * b.transpose();
    if (e.flags & flag::scaled) dst *= plan.problem().scale;
    return;
  } else {
    scratch.product.noalias() = a * b;
  }
  if (operands.given(3)) scratch.product.array().colwise() *= operands.vector(3);
  dst += scratch.product;
}

void hide(const Event& e, const Plan& plan, const Operands& operands) {
  const Problem& p = plan.problem();
  const Mask mask = e.flags & flag::shifted_mask ? p.mask.shifted_right() : p.mask;
  const Rect rect = plan.kernels[e.launch].rect(e.row, e.col, p);
  const float value = e.flags & flag::to_zero ? 0.0f : -infinity;
  View s = operands.change(0);
  for (std::int64_t r = 0; r < e.rows; ++r) {
    for (std::int64_t c = 0; c < e.cols; ++c) {
      if (!mask.visible(rect.row + r, rect.col + c, p.shift())) s(r, c) = value;
    }
  }
}

// row <- exp(row - base). What is hidden is -infinity and weighs 0, also where a NaN is the maximum.
void weigh(Row row, float base) {
  if (std::isnan(base)) {
    row = (row == -infinity).select(Eigen::ArrayXf::Zero(row.size()).transpose(), base);
    return;
  }
  row -= base;
  exp_in_place(row);
}

void softmax(const Event& e, const Operands& operands) {
  const bool statistics_given = operands.given(2);
  const MatrixView s = operands.read(1, e.rows, e.cols);
  View p = operands.write(0, e.rows, e.cols, e.operand[0] == e.operand[1]);
  if (e.operand[0] != e.operand[1]) p = s;
  for (std::int64_t r = 0; r < e.rows; ++r) {
    Row row = row_of(p, r);
    const float m = statistics_given ? operands.vector(2)(r) : maximum(row);
    weigh(row, base_of(m));
    const float l = statistics_given ? operands.vector(3)(r) : row.sum();
    if (l != 0) row /= l;
  }
  operands.round(0, p);
}

// Weights of padding that a kernel forgot to mask: K is 0 there, so each score is 0.
float tail_columns(const Event& e, const Operands& operands) {
  return e.flags & flag::unmasked_tail ? static_cast<float>(operands.tile(0).most_cols - e.cols) : 0.0f;
}

void block_softmax(const Event& e, const Operands& operands) {
  View s = operands.change(0);
  Vector m_tile = operands.write_vector(1), l_tile = operands.write_vector(2);
  const float tail = tail_columns(e, operands);
  for (std::int64_t r = 0; r < e.rows; ++r) {
    Row row = row_of(s, r);
    m_tile(r) = tail > 0 ? larger(maximum(row), 0) : maximum(row);
    const float base = base_of(m_tile(r));
    weigh(row, base);
    l_tile(r) = row.sum() + (tail > 0 ? tail * exp_flushed(-base) : 0);
    if (e.flags & flag::per_tile && l_tile(r) != 0) row /= l_tile(r);
  }
}

void online_softmax(const Event& e, const Operands& operands) {
  View s = operands.change(0);
  Vector m = operands.change_vector(1), l = operands.change_vector(2), alpha = operands.write_vector(3);
  const float tail = tail_columns(e, operands);
  for (std::int64_t r = 0; r < e.rows; ++r) {
    Row row = row_of(s, r);
    const float m_block = tail > 0 ? larger(maximum(row), 0) : maximum(row);
    const float m_new = e.flags & flag::per_tile ? m_block : larger(m(r), m_block);
    const bool stale = e.flags & flag::stale_max && m(r) != -infinity;
    const float base = base_of(stale ? m(r) : m_new);
    weigh(row, base);
    const float sum = row.sum() + (tail > 0 ? tail * exp_flushed(-base) : 0);
    alpha(r) = exp_flushed(m(r) - base_of(m_new));
    l(r) = alpha(r) * l(r) + sum;
    m(r) = m_new;
    if (e.flags & flag::per_tile) {
      if (sum != 0) row /= sum;
      l(r) = alpha(r) = 1;
    }
  }
}

void merge(const Event& e, const Operands& operands) {
  Vector m = operands.change_vector(0), l = operands.change_vector(1);
  const ConstVector m_tile = operands.vector(2), l_tile = operands.vector(3);
  Vector alpha = operands.write_vector(4), beta = operands.write_vector(5);
  for (std::int64_t r = 0; r < e.rows; ++r) {
    const Merge join = merged(m(r), m_tile(r));
    const bool stale = e.flags & flag::stale_max && m(r) != -infinity;
    alpha(r) = join.alpha;
    beta(r) = stale ? exp_flushed(m_tile(r) - m(r)) : join.beta;
    l(r) = alpha(r) * l(r) + beta(r) * l_tile(r);
    m(r) = e.flags & flag::per_tile ? m_tile(r) : join.m;
    if (e.flags & flag::per_tile) l(r) = alpha(r) = beta(r) = 1;
  }
}

void normalize(const Event& e, const Operands& operands) {
  View o = operands.change(0);
  const ConstVector l = operands.vector(1);
  for (std::int64_t r = 0; r < e.rows; ++r) {
    if (l(r) != 0) o.row(r) /= l(r);
  }
  if (!operands.given(3)) return;
  const ConstVector m = operands.vector(2);
  Vector lse = operands.write_vector(3);
  for (std::int64_t r = 0; r < e.rows; ++r) lse(r) = l(r) == 0 ? -infinity : m(r) + std::log(l(r));
}

}  // namespace

void compute(const Event& e, const Plan& plan, MachineState& state, Scratch scratch) {
  const Operands operands(e, plan, state);
  switch (e.op) {
    case Op::fill:
      operands.write(0, e.rows, e.cols, false).setConstant(e.flags & flag::minus_infinity ? -infinity : 0.0f);
      return;
    case Op::load:
      state.tiles[e.operand[0]].values = state.hbm[e.tensor].read(instance_of(e, plan), tensor_rect(e, plan));
      return;
    case Op::store:
      state.hbm[e.tensor].write(instance_of(e, plan), tensor_rect(e, plan), operands.read(0, e.rows, e.cols),
                                plan.tensors[e.tensor].type);
      return;
    case Op::gemm: return multiply(e, plan, operands, scratch);
    case Op::mask: return hide(e, plan, operands);
    case Op::softmax: return softmax(e, operands);
    case Op::block_softmax: return block_softmax(e, operands);
    case Op::online_softmax: return online_softmax(e, operands);
    case Op::merge: return merge(e, operands);
    case Op::rescale: operands.change(0).array().colwise() *= operands.vector(1); return;
    case Op::normalize: return normalize(e, operands);
    case Op::alloc:
    case Op::free: return;
  }
}

}  // namespace tilewalk
