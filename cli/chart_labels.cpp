#include "cli/chart_labels.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewalk::chart {
namespace {

constexpr double leader_width = 26, sample_width = 34, name_gap = 8;

std::string name_of(const Series& series) {
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (is_drawable(series.x[i], series.y[i])) return series.name;
  }
  return series.name + " (no data)";
}

// Labels that would overlap stand as one block.
struct Block {
  double centre, count;
};

// Heights nearest to the wanted ones (sorted) that are `gap` apart and stay between low and high: a block
// lies around the mean of what its labels want.
std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high) {
  const auto clamped = [&](Block block) {
    const double half = gap * (block.count - 1) / 2;
    return Block{std::max(low + half, std::min(block.centre, high - half)), block.count};
  };
  std::vector<Block> blocks;
  for (const double height : wanted) {
    Block block = clamped({height, 1});
    while (!blocks.empty() &&
           block.centre - blocks.back().centre < gap * (block.count + blocks.back().count) / 2) {
      const Block& above = blocks.back();
      const double count = above.count + block.count;
      block = clamped({(above.centre * above.count + block.centre * block.count) / count, count});
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  std::vector<double> heights;
  for (const auto& [centre, count] : blocks) {
    for (double i = 0; i < count; ++i) heights.push_back(centre + gap * (i - (count - 1) / 2));
  }
  return heights;
}

}  // namespace

Labels::Labels(const std::vector<Series>& series) {
  constexpr double widest_name = 280;
  for (const Series& one : series) name_room_ = std::max(name_room_, text_width(name_of(one), label_size));
  name_room_ = std::min(name_room_, widest_name);
}

double Labels::plot_end(double right) const {
  return right - name_room_ - name_gap - sample_width - leader_width;
}

// From top to bottom the labels have the order of the lines' ends.
std::string Labels::svg(const std::vector<Line>& lines, const Box& plot) const {
  const auto end_of = [&](const Line& line) {
    return line.runs.empty() ? plot.bottom : line.runs.back().back().y;
  };
  std::vector<const Line*> order;
  for (const Line& line : lines) order.push_back(&line);
  std::stable_sort(order.begin(), order.end(), [&](auto* a, auto* b) { return end_of(*a) < end_of(*b); });
  std::vector<double> wanted;
  for (const Line* line : order) wanted.push_back(end_of(*line));
  constexpr double usual_gap = 24;
  const double lines_at_least = std::max<double>(1, static_cast<double>(order.size()));
  const double gap = std::min(usual_gap, (plot.bottom - plot.top) / lines_at_least);
  const std::vector<double> heights = spread(wanted, gap, plot.top + 6, plot.bottom - 6);
  std::string svg;
  for (std::size_t i = 0; i < order.size(); ++i) svg += label_svg(*order[i], plot.right, heights[i]);
  return svg;
}

std::string Labels::label_svg(const Line& line, double plot_right, double y) const {
  const double x = plot_right + leader_width;
  std::string svg;
  // A line that ends early has no leader: it would cross the others.
  if (!line.runs.empty() && line.runs.back().back().x > plot_right - 20) {
    const Point end = line.runs.back().back();
    svg += fmt::format(
        R"(<path d="M{:.1f},{:.1f}C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}" fill="none" stroke="{}" )"
        "stroke-opacity=\"0.45\"/>\n",
        end.x + 9, end.y, plot_right + 6, end.y, x - 18, y, x - 3, y, line.look.colour);
  }
  const Look look = look_of(line.look.mark, line.series->dashed);  // as usual, even if the line was broadened
  svg += fmt::format("<path d=\"M{:.1f},{:.1f}h{:.1f}\" {}/>\n", x, y, sample_width, look.line_paint());
  svg += look.mark_svg({x + sample_width / 2, y}) + '\n';
  return svg + text_svg(shortened(name_of(*line.series), label_size, name_room_),
                        {x + sample_width + name_gap, y + 5}, label_size, ink);
}

}  // namespace tilewalk::chart
