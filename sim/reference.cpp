#include "sim/reference.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewalk {
namespace {

using MatrixD = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using InputMap = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
constexpr double infinity = std::numeric_limits<double>::infinity();

double rounded_to(double x, DType type) { return rounded(static_cast<float>(x), type); }

void round_all(MatrixD& x, DType type) {
  x = x.unaryExpr([type](double v) { return rounded_to(v, type); });
}

// K and V of one instance.
struct KeyValues {
  MatrixD k, v;
  bool finite_v;
};

KeyValues key_values(const Problem& p, const Inputs& in, std::int64_t instance) {
  const std::int64_t offset = p.kv_instance(instance) * p.n_kv * p.d;
  KeyValues kv{InputMap(in.k.data() + offset, p.n_kv, p.d).cast<double>(),
               InputMap(in.v.data() + offset, p.n_kv, p.d).cast<double>(), true};
  kv.finite_v = kv.v.allFinite();
  return kv;
}

// Rows [first, first + count) of one instance.
struct RowRange {
  std::int64_t instance, first, count;
};

MatrixD scores(const Problem& p, const Inputs& in, const KeyValues& kv, const RowRange& rows) {
  const InputMap q(in.q.data() + (rows.instance * p.n_q + rows.first) * p.d, rows.count, p.d);
  MatrixD s = q.cast<double>() * kv.k.transpose();
  return s * static_cast<double>(p.scale);
}

void hide(const Problem& p, const RowRange& rows, double value, MatrixD& s) {
  if (p.mask.is_none()) return;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    for (std::int64_t j = 0; j < p.n_kv; ++j) {
      if (!p.visible(rows.first + r, j)) s(r, j) = value;
    }
  }
}

// Hidden keys are left out, so that their NaN or infinity stays with the rows that see them.
MatrixD weigh(const Problem& p, const KeyValues& kv, const RowRange& rows, const MatrixD& weights) {
  if (kv.finite_v) return weights * kv.v;
  MatrixD o = MatrixD::Zero(rows.count, p.d);
  for (std::int64_t r = 0; r < rows.count; ++r) {
    for (std::int64_t j = 0; j < p.n_kv; ++j) {
      if (p.visible(rows.first + r, j)) o.row(r) += weights(r, j) * kv.v.row(j);
    }
  }
  return o;
}

struct Statistics {
  Eigen::ArrayXd m, l;
};

// Turns scores into softmax weights.
Statistics softmax_rows(MatrixD& s) {
  Statistics result{Eigen::ArrayXd(s.rows()), Eigen::ArrayXd(s.rows())};
  for (Eigen::Index r = 0; r < s.rows(); ++r) {
    auto row = s.row(r).array();
    const double m = s.cols() == 0 ? -infinity : row.maxCoeff<Eigen::PropagateNaN>();
    const double base = m == -infinity ? 0 : m;
    row = (row == -infinity).select(0.0, (row - base).exp());
    const double l = row.sum();
    if (l != 0) row /= l;
    result.m(r) = m;
    result.l(r) = l;
  }
  return result;
}

// The reference in 16 bit for an algorithm whose O goes through HBM after every key block: O is rounded each
// time.
MatrixD passes_in_precision(const Plan& plan, const KeyValues& kv, const RowRange& rows, MatrixD s) {
  const Problem& p = plan.problem();
  const std::int64_t block = plan.config.tiling.block_kv;
  const bool softmax = plan.algorithm().softmax;
  MatrixD o = MatrixD::Zero(rows.count, p.d);
  Eigen::ArrayXd m = Eigen::ArrayXd::Constant(rows.count, -infinity), l = Eigen::ArrayXd::Zero(rows.count);
  for (std::int64_t first = 0; first < p.n_kv; first += block) {
    const std::int64_t count = std::min(block, p.n_kv - first);
    MatrixD weights = s.middleCols(first, count);
    const Statistics tile = softmax ? softmax_rows(weights) : Statistics{};
    for (std::int64_t r = 0; r < rows.count && softmax; ++r) {
      const double m_new = std::max(m(r), tile.m(r)), base = m_new == -infinity ? 0 : m_new;
      const double old_weight = std::exp(m(r) - base) * l(r),
                   new_weight = std::exp(tile.m(r) - base) * tile.l(r);
      l(r) = old_weight + new_weight;
      m(r) = m_new;
      if (l(r) == 0) continue;
      o.row(r) *= old_weight / l(r);
      weights.row(r) *= new_weight / l(r);
    }
    if (softmax) round_all(weights, p.dtype);
    o += weights * kv.v.middleRows(first, count);
    round_all(o, p.dtype);
  }
  return o;
}

bool stores_o_every_pass(const Plan& plan) {
  const int o = plan.tensors.find("O");
  return plan.kernels.back().row->outer == Axis::kv &&
         plan.tensors[static_cast<std::size_t>(o)].type != DType::f32;
}

MatrixD in_precision(const Plan& plan, const KeyValues& kv, const RowRange& rows, MatrixD s) {
  const Problem& p = plan.problem();
  s = s.unaryExpr([&](double x) { return x == -infinity ? x : rounded_to(x, p.dtype); });
  if (stores_o_every_pass(plan)) return passes_in_precision(plan, kv, rows, std::move(s));
  if (plan.algorithm().softmax) {
    softmax_rows(s);
    round_all(s, p.dtype);
  }
  MatrixD o = weigh(p, kv, rows, s);
  round_all(o, p.dtype);
  return o;
}

template <class F>
void each_row_range(const Problem& p, const Inputs& in, const Progress& progress, F&& take) {
  constexpr std::int64_t rows_at_once = 64;
  for (std::int64_t instance = 0; instance < p.instances(); ++instance) {
    const KeyValues kv = key_values(p, in, instance);
    for (std::int64_t first = 0; first < p.n_q; first += rows_at_once) {
      if (progress) progress((double(instance) + double(first) / double(p.n_q)) / double(p.instances()));
      take(kv, RowRange{instance, first, std::min(rows_at_once, p.n_q - first)});
    }
  }
}

// Largest finite |x|.
double largest(const MatrixD& x) {
  return x.size() == 0
             ? 0
             : x.unaryExpr([](double v) { return std::isfinite(v) ? std::abs(v) : 0.0; }).maxCoeff();
}

// How much the dtype itself loses at values of this size: |(ref + 0.3 - 0.3) - ref|.
double rounding_noise(double reference, DType type) {
  const double r = rounded_to(reference, type);
  return std::abs(rounded_to(rounded_to(r + 0.3, type) - 0.3, type) - r);
}

// Gathers what the tolerance is made of, row range by row range.
class Tolerance {
 public:
  explicit Tolerance(const Plan& plan) : plan_(plan) {}

  // s: the scores, hidden ones -inf (with softmax) or 0; o: the float64 output.
  void add(const KeyValues& kv, const RowRange& rows, const MatrixD& s, const MatrixD& o) {
    const Problem& p = plan_.problem();
    max_v_ = std::max(max_v_, largest(kv.v));
    if (p.dtype == DType::f32) {
      max_logit_ = std::max(max_logit_, largest(s));
      if (!plan_.algorithm().softmax) weight_ = std::max(weight_, largest(s.cwiseAbs() * kv.v.cwiseAbs()));
      return;
    }
    const MatrixD low = in_precision(plan_, kv, rows, s);
    for (Eigen::Index n = 0; n < o.size(); ++n) {
      const double ref = o.data()[n], error = std::abs(low.data()[n] - ref);
      if (std::isfinite(error)) low_error_ = std::max(low_error_, error);
      const double noise = rounding_noise(ref, p.dtype);
      if (std::isfinite(noise)) noise_ = std::max(noise_, noise);
    }
  }

  double allowed() const {
    if (plan_.problem().dtype != DType::f32) return 2 * low_error_ + 2 * noise_;
    if (!plan_.algorithm().softmax) return 1e-5 * weight_;
    return (1e-5 + 4 * 0x1p-24 * max_logit_) * max_v_;
  }

 private:
  const Plan& plan_;
  double max_v_ = 0, max_logit_ = 0, weight_ = 0, low_error_ = 0, noise_ = 0;
};

void compare_rows(const Problem& p, const RowRange& rows, const MatrixD& expected,
                  const std::vector<float>& o, OutputCheck& check) {
  const float* found = o.data() + (rows.instance * p.n_q + rows.first) * p.d;
  for (Eigen::Index n = 0; n < expected.size(); ++n) {
    const double a = expected.data()[n], b = found[n];
    if (std::isfinite(a) != std::isfinite(b)) {
      ++check.wrong_non_finite;
    } else if (std::isfinite(a)) {
      check.max_abs_error = std::max(check.max_abs_error, std::abs(a - b));
    }
  }
}

}  // namespace

Reference reference(const Problem& p, const Inputs& in, bool softmax, const Progress& progress) {
  Reference result;
  result.o.reserve(static_cast<std::size_t>(p.instances() * p.n_q * p.d));
  each_row_range(p, in, progress, [&](const KeyValues& kv, const RowRange& rows) {
    MatrixD s = scores(p, in, kv, rows);
    hide(p, rows, softmax ? -infinity : 0, s);
    if (softmax) {
      const Statistics statistics = softmax_rows(s);
      for (std::int64_t r = 0; r < rows.count; ++r) {
        result.m.push_back(statistics.m(r));
        result.l.push_back(statistics.l(r));
        result.lse.push_back(statistics.l(r) == 0 ? -infinity : statistics.m(r) + std::log(statistics.l(r)));
      }
    }
    const MatrixD o = weigh(p, kv, rows, s);
    result.o.insert(result.o.end(), o.data(), o.data() + o.size());
  });
  return result;
}

OutputCheck check_output(const Plan& plan, const Inputs& in, const std::vector<float>& o,
                         const Progress& progress) {
  const Problem& p = plan.problem();
  const bool softmax = plan.algorithm().softmax;
  OutputCheck check;
  Tolerance tolerance(plan);
  each_row_range(p, in, progress, [&](const KeyValues& kv, const RowRange& rows) {
    MatrixD s = scores(p, in, kv, rows);
    hide(p, rows, softmax ? -infinity : 0, s);
    MatrixD weights = s;
    if (softmax) softmax_rows(weights);
    const MatrixD expected = weigh(p, kv, rows, weights);
    tolerance.add(kv, rows, s, expected);
    compare_rows(p, rows, expected, o, check);
  });
  check.allowed_error = tolerance.allowed();
  return check;
}

}  // namespace tilewalk
