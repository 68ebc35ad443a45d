#include "viz/row_merge.h"

#include <cmath>

#include "sim/fault.h"
#include "sim/softmax.h"

namespace tilewalk::viz {
namespace {

bool is_done(const Moment& moment, Op op) { return find_event(moment, op) != nullptr; }

// An event after the last tile of the CTA's loop.
bool finishes(const RunFrame& run) {
  const Event* e = find_event(run.moment, Op::normalize);
  return e && e->col < 0;
}

MergeKind kind_of(const RunFrame& run, std::int64_t row) {
  const Moment& moment = run.moment;
  const int s = find_tile(run, "s"), o = find_tile(run, "o"), m = find_tile(run, "m"),
            m_tile = find_tile(run, "m_tile");
  if (!run.has_values()) return MergeKind::off;
  const Rect rect = current_rect(run);
  if (row < rect.row || row >= rect.row + rect.rows) return MergeKind::elsewhere;
  if (finishes(run)) return MergeKind::finish;
  if (m >= 0 || o >= 0) {
    bool in_tile = false;
    for (const Event& e : moment.story) in_tile = in_tile || (e.row >= 0 && e.col >= 0);
    if (!in_tile) return MergeKind::start;
  }
  if (m_tile >= 0) return MergeKind::blocks;
  if (m >= 0) return is_done(moment, Op::softmax) ? MergeKind::known : MergeKind::online;
  if (o >= 0) return MergeKind::sum;
  const bool softmax = kernel_of(run).row->name == "softmax";
  return s >= 0 && softmax ? MergeKind::whole : MergeKind::scores;
}

// What the mask is going to hide has no say in the tile's maximum, though its score is still there.
void hide(const RunFrame& run, std::int64_t row, std::vector<float>& scores) {
  const Problem& p = run.plan().problem();
  const std::int64_t first = current_rect(run).col;
  for (std::size_t n = 0; n < scores.size(); ++n) {
    if (!p.visible(row, first + std::int64_t(n))) scores[n] = -infinity;
  }
}

float largest(const std::vector<float>& values) {
  float most = -infinity;
  for (const float v : values) most = larger(most, v);
  return most;
}

float sum_of(const std::vector<float>& values) {
  float sum = 0;
  for (const float v : values) sum += v;
  return sum;
}

float weights_against(const std::vector<float>& scores, float m) {
  float sum = 0;
  for (const float s : scores) sum += exp_flushed(s - base_of(m));
  return sum;
}

// States before and after, and what has happened in between.
struct Reading {
  const RunFrame& run;
  const MachineState& before;
  const MachineState& after;
  bool turned;  // the running values have changed

  Value was(const char* tile, std::int64_t row) const { return value_in(before, find_tile(run, tile), row); }
  Value is(const char* tile, std::int64_t row) const { return value_in(after, find_tile(run, tile), row); }
};

void read_statistics(const Reading& r, RowMerge& merge) {
  const std::int64_t n = merge.local;
  merge.m = r.was("m", n);
  merge.l = r.was("l", n);
  // The scores as they were ahead of the softmax; before it, once they are computed.
  if (r.turned || find_event(r.run.moment, Op::gemm, find_scores(r.run)) || merge.kind == MergeKind::whole)
    merge.s = row_in(r.before, find_scores(r.run), n);
  if (!r.turned) hide(r.run, merge.row, merge.s);
  if (!merge.s.empty()) merge.m_tile = largest(merge.s);
  if (!r.turned) return;
  merge.p = row_in(r.after, find_scores(r.run), n);
  if (merge.kind == MergeKind::online) {
    merge.m_new = r.is("m", n);
    merge.l_new = r.is("l", n);
    merge.alpha = r.is("alpha", n);
    merge.l_tile = sum_of(merge.p);
  } else if (merge.kind == MergeKind::blocks) {
    merge.m_tile = r.is("m_tile", n);
    merge.l_tile = r.is("l_tile", n);
    if (!is_done(r.run.moment, Op::merge)) return;
    merge.m_new = r.is("m", n);
    merge.l_new = r.is("l", n);
    merge.alpha = r.is("alpha", n);
    merge.beta = r.is("beta", n);
  } else {  // of whole rows, or from a pass before
    merge.m_new = merge.kind == MergeKind::known ? merge.m : merge.m_tile;
    merge.l_new =
        merge.kind == MergeKind::known ? merge.l : Value(weights_against(merge.s, base_of(*merge.m_tile)));
  }
}

// O after all of its steps in the tile: the product is added last, and FlashAttention-1 divides by l then.
bool output_is_new(const RunFrame& run, MergeKind kind) {
  if (kind == MergeKind::blocks) return is_done(run.moment, Op::normalize);
  const Event* e = find_event(run.moment, Op::gemm, find_tile(run, "o"));
  return e != nullptr;
}

void read_output(const Reading& r, RowMerge& merge) {
  const int o = find_tile(r.run, "o");
  merge.o = row_in(r.before, o, merge.local);
  if (r.turned && output_is_new(r.run, merge.kind)) merge.o_new = row_in(r.after, o, merge.local);
}

// What HBM holds of a row that is not at work.
void read_stored(const RunFrame& run, RowMerge& merge) {
  const Plan& plan = run.plan();
  const auto& hbm = run.moment.state.hbm;
  const auto stored = [&](const char* name) -> const HbmTensor* {
    const int n = plan.tensors.find(name);
    if (n < 0 || plan.tensors[std::size_t(n)].level != plan.config.arch.level("hbm")) return nullptr;
    const HbmTensor& tensor = hbm[std::size_t(n)];
    return tensor.writes(run.moment.instance, merge.row, tensor.cols() - 1) > 0 ? &tensor : nullptr;
  };
  const auto value = [&](const char* name) {
    const HbmTensor* tensor = stored(name);
    return tensor ? Value(tensor->at(run.moment.instance, merge.row, 0)) : Value();
  };
  merge.m = value("m");
  merge.l = value("l");
  merge.lse = value("L");
  const HbmTensor* o = stored("O");
  for (std::int64_t c = 0; o && c < o->cols(); ++c)
    merge.o_new.push_back(o->at(run.moment.instance, merge.row, c));
}

void read_finish(const Reading& r, RowMerge& merge) {
  const std::int64_t n = merge.local;
  merge.m = r.is("m", n);
  merge.l = r.is("l", n);
  merge.lse = r.is("lse", n);
  merge.o_new = row_in(r.after, find_tile(r.run, "o"), n);
}

bool differs(Value is, float expected) {
  if (!is || !std::isfinite(expected) || !std::isfinite(*is)) return false;
  return std::abs(*is - expected) > 2e-3f * std::max(1.0f, std::abs(expected));
}

// Of O, from the weights in the tile and V.
bool output_differs(const Reading& r, const RowMerge& merge) {
  const int v = find_tile(r.run, "v");
  if (merge.o_new.empty() || merge.o.empty() || merge.p.empty() || !holds(r.after, v)) return false;
  const bool blocks = merge.kind == MergeKind::blocks;
  const float old_share = !merge.alpha ? 1
                          : blocks     ? *merge.alpha * merge.l.value_or(0)
                                       : *merge.alpha,
              new_share = merge.beta.value_or(1);
  float most = 1e-3f, worst = 0;
  for (std::size_t c = 0; c < merge.o_new.size(); ++c) {
    float sum = 0;
    for (std::size_t j = 0; j < merge.p.size(); ++j)
      sum += merge.p[j] * value_in(r.after, v, std::int64_t(j), std::int64_t(c)).value_or(0);
    float expected = old_share * merge.o[c] + new_share * sum;
    if (blocks && merge.l_new.value_or(0) != 0) expected /= *merge.l_new;
    most = std::max(most, std::abs(expected));
    worst = std::max(worst, std::abs(expected - merge.o_new[c]));
  }
  return worst > 0.02f * most;
}

void check(const Reading& r, RowMerge& merge) {
  const Fault* fault = r.run.plan().config.fault;
  if (!fault || !merge.m || !merge.m_tile || !merge.m_new) return;
  const Merge sound = merged(*merge.m, *merge.m_tile);
  const float l_tile = merge.kind == MergeKind::blocks ? merge.l_tile.value_or(0) * sound.beta
                                                       : weights_against(merge.s, sound.m);
  merge.wrong_m = differs(merge.m_new, sound.m);
  merge.wrong_l = differs(merge.l_new, sound.alpha * merge.l.value_or(0) + l_tile);
  merge.wrong_o = output_differs(r, merge);
  if (merge.wrong_m || merge.wrong_l || merge.wrong_o) merge.fault = fault->name;
}

}  // namespace

RowMerge row_merge(const Frame& frame, const RunFrame& run) {
  RowMerge merge;
  merge.row = chosen_row(frame, run);
  merge.kind = kind_of(run, merge.row);
  // At the end nothing is at work: what counts is what HBM holds.
  if (!run.moment.next && merge.kind != MergeKind::off) merge.kind = MergeKind::elsewhere;
  merge.local = merge.row - current_rect(run).row;
  if (merge.kind == MergeKind::elsewhere) read_stored(run, merge);
  if (merge.kind == MergeKind::off || merge.kind == MergeKind::elsewhere) return merge;
  const Moment& moment = run.moment;
  const Reading r{run, moment.merging ? *moment.merging : moment.state, moment.state,
                  moment.merging != nullptr};
  switch (merge.kind) {
    case MergeKind::finish: read_finish(r, merge); break;
    case MergeKind::sum:
      merge.p = row_in(r.after, find_scores(run), merge.local);
      read_output(r, merge);
      break;
    case MergeKind::scores: merge.s = row_in(r.after, find_scores(run), merge.local); break;
    default:
      read_statistics(r, merge);
      read_output(r, merge);
      check(r, merge);
  }
  merge.sees_nothing =
      (merge.m_new && *merge.m_new == -infinity) || (merge.kind == MergeKind::finish && merge.l == 0.0f);
  return merge;
}

}  // namespace tilewalk::viz
