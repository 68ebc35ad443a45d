#include "viz/row_path.h"

#include <cmath>

#include "sim/softmax.h"
#include "viz/heat_map.h"
#include "viz/marks.h"
#include "viz/numbers.h"
#include "viz/text.h"
#include "viz/tile_values.h"

namespace tilewalk::viz {
namespace {

using Vector = Eigen::Map<const Eigen::VectorXf>;
using Rows = Eigen::Map<const Matrix>;

bool keeps_running_values(const RunFrame& run) {
  for (const char* name : {"m", "l", "alpha"}) {
    if (find_tile(run, name) < 0) return false;
  }
  return true;
}

// The tile's part in the row: its largest score and the sum of its weights against that.
struct Part {
  float m = -infinity, l = 0;
};

Part part_of(const Problem& p, std::int64_t row, std::int64_t first, const Eigen::VectorXf& scores) {
  Part part;
  for (std::int64_t n = 0; n < scores.size(); ++n) {
    if (p.visible(row, first + n)) part.m = larger(part.m, scores(n));
  }
  for (std::int64_t n = 0; n < scores.size(); ++n) {
    if (p.visible(row, first + n)) part.l += exp_flushed(scores(n) - base_of(part.m));
  }
  return part;
}

Eigen::VectorXf weights_of(const Problem& p, std::int64_t row, std::int64_t first,
                           const Eigen::VectorXf& scores, float m) {
  Eigen::VectorXf weights(scores.size());
  for (std::int64_t n = 0; n < scores.size(); ++n)
    weights(n) = p.visible(row, first + n) ? exp_flushed(scores(n) - base_of(m)) : 0;
  return weights;
}

bool merged_already(const RunFrame& run, TileId tile) {
  const Visits& visits = run.facts.visits[run.moment.location.launch];
  if (!run.moment.tile) return false;
  const std::int64_t turn = visits.turn(tile), now = visits.turn(*run.moment.tile);
  return turn < now || (turn == now && (!run.moment.in_tile || run.moment.merging));
}

}  // namespace

RowPath row_path(const RunFrame& run, std::int64_t row, bool with_o) {
  RowPath path;
  const Problem& p = run.plan().problem();
  if (!run.has_values() || !keeps_running_values(run) || p.n_kv == 0) return path;
  const Kernel& kernel = kernel_of(run);
  const Visits& visits = run.facts.visits[run.moment.location.launch];
  const std::int64_t instance = run.moment.instance, block = row / kernel.tiling.block_q;
  const Vector q(run.facts.inputs->q.data() + (instance * p.n_q + row) * p.d, p.d);
  const float* keys = run.facts.inputs->k.data() + p.kv_instance(instance) * p.n_kv * p.d;
  const float* values = run.facts.inputs->v.data() + p.kv_instance(instance) * p.n_kv * p.d;
  float m = -infinity, l = 0;
  Eigen::VectorXf o = Eigen::VectorXf::Zero(p.d);  // not divided by l
  for (std::int64_t turn = 0; turn < kernel.kv_blocks; ++turn) {
    const std::int64_t j = kernel.tiling.order == Order::ascending ? turn : kernel.kv_blocks - 1 - turn;
    if (visits.turn({block, j}) == Visits::never) continue;
    const std::int64_t first = kernel.start(Axis::kv, j), count = kernel.extent(Axis::kv, j, p);
    const Eigen::VectorXf scores = Rows(keys + first * p.d, count, p.d) * q * p.scale;
    const Part part = part_of(p, row, first, scores);
    const Merge merge = merged(m, part.m);
    l = merge.alpha * l + merge.beta * part.l;
    m = merge.m;
    path.blocks.push_back(j);
    path.m.push_back(m);
    path.l.push_back(l);
    if (with_o) {
      const Eigen::VectorXf weights = weights_of(p, row, first, scores, m);
      o = merge.alpha * o + Rows(values + first * p.d, count, p.d).transpose() * weights;
      for (const float value : o) path.o.push_back(l == 0 ? 0 : value / l);
    }
    path.done += merged_already(run, {block, j});
  }
  return path;
}

void draw_path_plot(const Frame& frame, Box box, std::string_view title, const RowPath& path,
                    const std::vector<float>& values, Colour colour) {
  const ImFont* font = frame.fonts.small;
  Box head = box.cut_top(std::round(frame.px(18)));
  if (path.done > 0 && path.done <= values.size()) {
    const std::string now = number(values[path.done - 1]);
    const float wanted = std::ceil(text_width(now, frame.fonts.mono_small)) + 1;
    draw_text(frame, head.cut_right(wanted), now, colour, frame.fonts.mono_small, Align::right);
  }
  // Where it does not fit, its letter must do.
  draw_text(frame, head, first_that_fits({title, title.substr(0, title.find(' '))}, head.width(), font),
            frame.theme.muted, font);
  float low = infinity, high = -infinity;
  for (const float v : values) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v), high = std::max(high, v);
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine({box.min.x, box.max.y - 0.5f}, {box.max.x, box.max.y - 0.5f}, frame.theme.line);
  if (!(low <= high) || box.height() < frame.px(10)) return;
  const Box area = box.inset(frame.px(5));
  const auto at = [&](std::size_t n) {
    const float x = values.size() < 2 ? 0.5f : float(n) / float(values.size() - 1);
    const float y = high > low ? (values[n] - low) / (high - low) : 0.5f;
    return ImVec2{area.min.x + x * area.width(), area.max.y - y * area.height()};
  };
  for (std::size_t n = 1; n < values.size(); ++n) {
    if (!std::isfinite(values[n - 1]) || !std::isfinite(values[n])) continue;
    const ImVec2 a = at(n - 1), b = at(n);
    const bool past = n < path.done;
    if (past)
      list->AddLine(a, b, colour, std::max(1.0f, frame.px(2)));
    else
      dashed_line(a, b, with_alpha(colour, 0.6f), frame.px(4), std::max(1.0f, frame.px(1.2f)));
  }
  if (path.done > 0 && std::isfinite(values[path.done - 1]))
    list->AddCircleFilled(at(path.done - 1), frame.px(3.5f), colour);
}

void draw_path_of_o(const Frame& frame, Box box, const RowPath& path, std::int64_t d) {
  const Box head = box.cut_top(std::round(frame.px(18)));
  const std::string_view title = frame.text(Str::o_over_blocks);
  draw_text(frame, head, first_that_fits({title, "O"}, head.width(), frame.fonts.small), frame.theme.muted,
            frame.fonts.small);
  const auto blocks = static_cast<std::int64_t>(path.blocks.size());
  // What is still to come is marked as not written, though it is known.
  const HeatGrid grid{
      d, blocks, [&](std::int64_t c, std::int64_t n) {
        const bool past = std::size_t(n) < path.done;
        return CellValue{path.o[std::size_t(n * d + c)], past ? CellKind::value : CellKind::masked};
      }};
  HeatMap map{box, d, blocks, 1, 1};
  map.down = std::clamp<std::int64_t>(std::int64_t(box.height() / 2.5f), 1, std::max<std::int64_t>(1, d));
  map.across =
      std::clamp<std::int64_t>(std::int64_t(box.width() / 2.5f), 1, std::max<std::int64_t>(1, blocks));
  draw_heat_map(frame, map, grid, scale_of(grid));
}

}  // namespace tilewalk::viz
