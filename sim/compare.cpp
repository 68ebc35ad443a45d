#include "sim/compare.h"

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <tuple>

#include "sim/describe.h"

namespace tilewalk {
namespace {

using MatrixD = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using InputMap = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
constexpr double infinity = std::numeric_limits<double>::infinity();

// What a watched tile may differ by, computed in float64 alongside the run. One object follows one kernel.
class Bounds {
 public:
  Bounds(const Plan& plan, const Inputs& inputs, const Kernel& kernel)
      : plan_(plan), in_(inputs), kernel_(kernel), rows_(plan.problem().instances() * plan.problem().n_q) {
    m_ = Eigen::ArrayXd::Constant(rows_, -infinity);
    l_ = dm_ = most_ = Eigen::ArrayXd::Zero(rows_);
    weight_ = MatrixD::Zero(rows_, plan.problem().d);
  }

  // Tile (i, j) of an instance has been worked on.
  void visit(std::int64_t instance, std::int64_t i, std::int64_t j) {
    const Problem& p = plan_.problem();
    const Rect rect = kernel_.rect(i, j, p);
    first_ = instance * p.n_q + rect.row;
    const InputMap q(in_.q.data() + first_ * p.d, rect.rows, p.d);
    const std::int64_t kv = (p.kv_instance(instance) * p.n_kv + rect.col) * p.d;
    const InputMap k(in_.k.data() + kv, rect.cols, p.d), v(in_.v.data() + kv, rect.cols, p.d);
    s_ = q.cast<double>() * k.cast<double>().transpose() * static_cast<double>(p.scale);
    abs_s_ =
        q.cast<double>().cwiseAbs() * k.cast<double>().cwiseAbs().transpose() * std::abs(double(p.scale));
    const MatrixD abs_v = v.cast<double>().cwiseAbs();
    for (std::int64_t r = 0; r < rect.rows; ++r) add_row(rect, r, abs_v);
  }

  // Allowed difference of element (r, c) of a watched tile that holds `value`.
  double allowed(std::string_view tile, std::int64_t r, std::int64_t c, double value) const {
    const std::int64_t row = first_ + r;
    const double dm = dm_(row) + stored_score_rounding(row);
    if (tile == "m") return dm;
    if (tile == "l") return std::abs(value) * (1e-5 + 2 * dm);
    if (tile == "o") {
      return (p_rounding() + 2 * stored_score_rounding(row)) * weight_(row, c) /
             (normalised() && l_(row) > 0 ? l_(row) : 1);
    }
    const double ds = 8 * 0x1p-24 * abs_s_(r, c);  // "s" holds scores, or in the softmax kernel weights
    if (kernel_.row->name != "softmax") return ds;
    const double least = plan_.problem().dtype == DType::f16 ? 0x1p-24 : 0;  // f16's step below 2^-14
    return std::abs(value) * (1e-5 + 2 * dm + epsilon_of(plan_.problem().dtype)) + least;
  }

 private:
  void add_row(const Rect& rect, std::int64_t r, const MatrixD& abs_v) {
    const Problem& p = plan_.problem();
    const std::int64_t row = first_ + r;
    const bool softmax = plan_.algorithm().softmax;
    double m = m_(row);
    for (std::int64_t c = 0; c < rect.cols; ++c) {
      if (!p.visible(rect.row + r, rect.col + c)) continue;
      m = std::max(m, s_(r, c));
      dm_(row) = std::max(dm_(row), 8 * 0x1p-24 * abs_s_(r, c));
      most_(row) = std::max(most_(row), std::abs(s_(r, c)));
    }
    if (!softmax) m = 0;
    if (m == -infinity) return;
    const double alpha = softmax ? std::exp(m_(row) - m) : 1;
    l_(row) *= alpha;
    weight_.row(row) *= alpha;
    for (std::int64_t c = 0; c < rect.cols; ++c) {
      if (!p.visible(rect.row + r, rect.col + c)) continue;
      const double weight = softmax ? std::exp(s_(r, c) - m) : std::abs(s_(r, c));
      l_(row) += weight;
      weight_.row(row) += weight * abs_v.row(c);
    }
    m_(row) = m;
  }

  // Scores stored in 16 bit: where two runs differ in the last bit of a float, they can round to neighbours.
  double stored_score_rounding(std::int64_t row) const {
    const int scores = plan_.tensors.find("S");
    const bool read_back = kernel_.row->name == "softmax" || kernel_.row->name == "output";
    if (!read_back || scores < 0 || plan_.tensors[static_cast<std::size_t>(scores)].type == DType::f32)
      return 0;
    return epsilon_of(plan_.problem().dtype) * most_(row);
  }
  double p_rounding() const { return 2 * epsilon_of(plan_.problem().dtype) + 1e-5; }
  // O is normalised as soon as it is written by the K/V-outer algorithms, and where P was.
  bool normalised() const {
    return plan_.algorithm().softmax && (kernel_.row->outer == Axis::kv || kernel_.row->name == "output");
  }

  const Plan& plan_;
  const Inputs& in_;
  const Kernel& kernel_;
  std::int64_t rows_, first_ = 0;
  Eigen::ArrayXd m_, l_, dm_, most_;  // most: the largest |score| seen
  MatrixD weight_, s_, abs_s_;        // weight: sum P|V| of each row
};

// Not a number, or on different sides of infinity, is as far apart as can be.
double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double d = std::abs(a - b);
  return std::isnan(d) ? infinity : d;
}

double ratio(double difference, double allowed) {
  if (difference == 0) return 0;
  return allowed > 0 ? difference / allowed : infinity;
}

}  // namespace

bool ValueDiff::is_in(const TileRecord& record) const {
  return launch == record.launch && cta == record.cta && row == record.row && col == record.col;
}

double TileDiff::most() const {
  double most = 0;
  for (const auto& [name, ratio] : worst) most = std::max(most, ratio);
  return most;
}

double ValueDiff::times_allowed() const { return ratio(distance(expected, found), allowed); }

namespace {

using Key = std::tuple<int, int, int>;  // launch, CTA, agent

bool moves_something(const Event& e) {
  return (e.op == Op::load || e.op == Op::store) && e.rows > 0 && e.cols > 0;
}

std::map<Key, std::vector<const Event*>> by_cta(const Trace& trace, Flow flow) {
  std::map<Key, std::vector<const Event*>> result;
  for (const Event& e : trace.events) {
    if (flow == Flow::events || moves_something(e)) result[{e.launch, e.cta, e.agent}].push_back(&e);
  }
  return result;
}

// Flags of a fault say what an operation computes, not which one it is.
bool same_step(Event a, Event b) {
  constexpr std::uint8_t sound = 0x0f;
  a.flags &= sound;
  b.flags &= sound;
  return a == b;
}

// The same rectangle of the same tensor. A tensor without a side along the keys says nothing about `col`.
bool same_move(const Event& a, const Event& b, const Plan& plan) {
  if (a.op != b.op || a.tensor != b.tensor || a.rows != b.rows || a.cols != b.cols) return false;
  const Tensor& tensor = plan.tensors[a.tensor];
  const bool by_q = tensor.rows == Axis::q, by_kv = tensor.rows == Axis::kv || tensor.cols == Axis::kv;
  return (!by_q || a.row == b.row) && (!by_kv || a.col == b.col);
}

// The first of each CTA and agent.
std::vector<FlowDiff> flow_diffs(const Plan& plan, const Trace& expected, const Trace& found, Flow flow) {
  std::vector<FlowDiff> diffs;
  const auto ours = by_cta(expected, flow), theirs = by_cta(found, flow);
  static const std::vector<const Event*> none;
  const auto words = [&](const std::vector<const Event*>& list, std::size_t n) {
    return n < list.size() ? describe(*list[n], plan) : std::string("nothing");
  };
  const auto differ = [&](const std::vector<const Event*>& a,
                          const std::vector<const Event*>& b) -> std::optional<FlowDiff> {
    for (std::size_t n = 0; n < std::max(a.size(), b.size()); ++n) {
      const bool both = n < a.size() && n < b.size();
      if (both && (flow == Flow::moves ? same_move(*a[n], *b[n], plan) : same_step(*a[n], *b[n]))) continue;
      const Event& at = n < a.size() ? *a[n] : *b[n];
      return FlowDiff{at.launch, at.cta, at.row, at.col, words(a, n), words(b, n)};
    }
    return std::nullopt;
  };
  for (const auto& [key, events] : ours) {
    const auto other = theirs.find(key);
    if (auto diff = differ(events, other == theirs.end() ? none : other->second)) diffs.push_back(*diff);
  }
  for (const auto& [key, events] : theirs) {
    if (ours.count(key) != 0) continue;
    if (auto diff = differ(none, events)) diffs.push_back(*diff);
  }
  return diffs;
}

std::string place_of(const TileRecord& r, const Plan& plan) {
  Event e;
  e.launch = r.launch;
  e.cta = r.cta;
  e.row = r.row;
  e.col = r.col;
  return describe_place(e, plan);
}

// The same tile with sum_of_row's numbers instead of its elements.
WatchedTile summed(const WatchedTile& tile) {
  WatchedTile result{tile.tile, tile.rows, 3, {}, true};
  for (std::int32_t r = 0; r < tile.rows; ++r) {
    const std::span<const float> row(tile.values.data() + std::size_t(r) * std::size_t(tile.cols),
                                     static_cast<std::size_t>(tile.cols));
    for (const double x : sum_of_row(row, r)) result.values.push_back(static_cast<float>(x));
  }
  return result;
}

// What number n of sum_of_row may differ by: elements' bounds added up, and a float's rounding of the sum.
double allowed_of_sum(const Bounds& bounds, const std::string& name, const WatchedTile& elements,
                      std::int64_t r, std::int64_t n, double value) {
  const auto at = [&](std::int64_t c) {
    return bounds.allowed(name, r, c,
                          double(elements.values[static_cast<std::size_t>(r * elements.cols + c)]));
  };
  if (n == 2) return at(r % elements.cols);
  double sum = 0x1p-22 * std::abs(value);
  for (std::int64_t c = 0; c < elements.cols; ++c) sum += at(c);
  return sum;
}

// Compares one watched tile. Keeps the worst ratios, and of the first tile of the score matrix that is beyond
// what is allowed the element that is furthest beyond it.
void compare_tile(const Bounds& bounds, const TileRecord& record, const std::string& name,
                  const WatchedTile& elements, const WatchedTile& b, TraceDiff& diff) {
  double& worst_here = diff.tiles.back().worst[name];
  const WatchedTile a = b.summed ? summed(elements) : elements;
  for (std::size_t n = 0; n < a.values.size(); ++n) {
    const auto r = static_cast<std::int64_t>(n) / a.cols, c = static_cast<std::int64_t>(n) % a.cols;
    const double found = n < b.values.size() ? double(b.values[n]) : std::nan("");
    const double apart = distance(double(a.values[n]), found);
    const double value = double(a.values[n]);
    const double allowed =
        b.summed ? allowed_of_sum(bounds, name, elements, r, c, value) : bounds.allowed(name, r, c, value);
    const double times = ratio(apart, allowed);
    diff.worst[name] = std::max(diff.worst[name], times);
    worst_here = std::max(worst_here, times);
    if (times <= 1 || (diff.value && !(diff.value->is_in(record) && times > diff.value->times_allowed())))
      continue;
    diff.value = ValueDiff{record.launch,       record.cta, record.row, record.col, name, r, c,
                           double(a.values[n]), found,      allowed};
  }
}

// A tile after which nothing was kept, though the flow is as it should be. A kernel may pass by tiles without
// keys.
void missing_record(const Plan& plan, const TileRecord& r, TraceDiff& diff) {
  const Kernel& kernel = plan.kernels[r.launch];
  if (kernel.extent(Axis::kv, r.col, plan.problem()) == 0) return;
  for (const WatchedTile& tile : r.tiles) {
    if (tile.values.empty() || diff.value) continue;
    const std::string name(kernel.tiles[tile.tile].name);
    diff.value =
        ValueDiff{r.launch, r.cta, r.row, r.col, name, 0, 0, double(tile.values[0]), std::nan(""), 0};
    diff.worst[name] = infinity;
  }
}

// "" when `found` keeps the tiles that `expected` does, with as many rows and columns (or sums of them).
std::string shape_diff(const Kernel& kernel, const TileRecord& expected, const TileRecord& found) {
  if (expected.tiles.size() != found.tiles.size()) {
    return std::to_string(found.tiles.size()) + " tiles kept instead of " +
           std::to_string(expected.tiles.size());
  }
  for (std::size_t n = 0; n < expected.tiles.size(); ++n) {
    const WatchedTile &a = expected.tiles[n], &b = found.tiles[n];
    const std::string name(kernel.tiles[a.tile].name);
    if (a.tile != b.tile) return "another tile kept instead of " + name;
    const std::int32_t cols = b.summed ? 3 : a.cols;
    const auto elements = static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(cols);
    if (a.rows != b.rows || b.cols != cols || b.values.size() != elements)
      return name + " has another number of elements";
  }
  return "";
}

using RecordKey = std::tuple<int, int, int, int, int>;  // launch, CTA, row, col, how often before

template <class F>
void each_record(const Trace& trace, F&& take) {
  std::map<std::tuple<int, int, int, int>, int> seen;
  for (const TileRecord& r : trace.records) {
    take(RecordKey{r.launch, r.cta, r.row, r.col, seen[{r.launch, r.cta, r.row, r.col}]++}, r);
  }
}

}  // namespace

std::array<double, 3> sum_of_row(std::span<const float> row, std::int64_t r) {
  double sum = 0, sizes = 0;
  for (const float x : row) {
    sum += double(x);
    sizes += std::abs(double(x));
  }
  return {sum, sizes, row.empty() ? 0 : double(row[static_cast<std::size_t>(r) % row.size()])};
}

TraceDiff compare(const Plan& plan, const Inputs& inputs, const Trace& expected, const Trace& found,
                  Flow flow, const Progress& progress) {
  TraceDiff diff;
  diff.flows = flow_diffs(plan, expected, found, flow);
  if (!diff.flows.empty()) diff.flow = diff.flows.front();
  std::map<RecordKey, const TileRecord*> others;
  each_record(found, [&](const RecordKey& key, const TileRecord& r) { others[key] = &r; });
  std::size_t matched = 0;
  std::vector<Bounds> bounds;
  for (const Kernel& kernel : plan.kernels) bounds.emplace_back(plan, inputs, kernel);
  std::size_t done = 0;
  each_record(expected, [&](const RecordKey& key, const TileRecord& r) {
    if (progress) progress(double(done++) / double(expected.records.size()));
    const Kernel& kernel = plan.kernels[r.launch];
    Bounds& bound = bounds[r.launch];
    bound.visit(r.cta / kernel.blocks, r.row, r.col);
    const auto other = others.find(key);
    if (other == others.end()) {
      // Else the flow differs, and says so.
      if (flow == Flow::moves) missing_record(plan, r, diff);
      return;
    }
    ++matched;
    if (std::string why = shape_diff(kernel, r, *other->second); !why.empty()) {
      if (diff.shape.empty()) diff.shape = place_of(r, plan) + ": " + why;
      return;
    }
    diff.tiles.push_back({r.launch, r.cta, r.row, r.col, {}});
    for (std::size_t n = 0; n < r.tiles.size(); ++n) {
      compare_tile(bound, r, std::string(kernel.tiles[r.tiles[n].tile].name), r.tiles[n],
                   other->second->tiles[n], diff);
    }
  });
  if (matched < others.size() && diff.shape.empty())
    diff.shape = std::to_string(others.size() - matched) + " tiles more are kept than there should be";
  return diff;
}

}  // namespace tilewalk
