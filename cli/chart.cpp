#include "cli/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "cli/chart_axis.h"
#include "cli/chart_labels.h"
#include "cli/chart_lines.h"
#include "cli/chart_svg.h"

namespace tilewalk {
namespace {

using namespace chart;

constexpr double width = 960, height = 600, margin = 32;
constexpr const char* grid_colour = "#dfe3e8";
constexpr const char* faint_grid_colour = "#eff1f4";
constexpr const char* axis_colour = "#8c959f";

class Drawing {
 public:
  Drawing(const ChartText& text, const std::vector<Series>& series);
  std::string svg();

 private:
  void lay_out();
  void draw_head();
  void draw_x_axis();
  void draw_y_axis();
  std::string description() const;

  const ChartText& text_;
  const Labels labels_;
  Axis x_axis_, y_axis_;
  std::vector<Tick> y_ticks_;
  Box plot_{};
  std::vector<std::string> title_, subtitle_;
  std::vector<Line> lines_;
  std::string out_;
};

Drawing::Drawing(const ChartText& text, const std::vector<Series>& series) : text_(text), labels_(series) {
  std::vector<double> xs, ys;
  for (const Series& one : series) {
    for (std::size_t i = 0; i < one.x.size(); ++i) {
      if (!is_drawable(one.x[i], one.y[i])) continue;
      xs.push_back(one.x[i]);
      ys.push_back(one.y[i]);
    }
  }
  x_axis_ = axis_for(xs, text.x_unit, true);
  y_axis_ = axis_for(ys, text.y_unit, text.y_unit.empty());
  lay_out();
  lines_ = lines_of(series, x_axis_, y_axis_);
}

void Drawing::lay_out() {
  title_ = wrapped(text_.title, 24, width - 2 * margin);
  subtitle_ = wrapped(text_.subtitle, label_size, width - 2 * margin);
  plot_.top =
      margin + 28.0 * static_cast<double>(title_.size()) + 20.0 * static_cast<double>(subtitle_.size()) + 40;
  plot_.bottom = height - 72;
  plot_.right = labels_.plot_end(width - margin);
  place(y_axis_, plot_.bottom, plot_.top, 14);
  y_ticks_ = ticks_of(y_axis_, 30);
  plot_.left = margin + widest_label(y_ticks_) + 10;
  place(x_axis_, plot_.left, plot_.right, 18);
}

std::string Drawing::svg() {
  out_ = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" )"
      R"(viewBox="0 0 {0:.0f} {1:.0f}" )"
      R"(role="img" aria-labelledby="chart-title chart-description" font-family="system-ui, -apple-system, )"
      R"('Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, 'PingFang SC', 'Microsoft YaHei', )"
      R"('Noto Sans CJK SC', sans-serif">)"
      "\n<title id=\"chart-title\">{2}</title>\n<desc id=\"chart-description\">{3}</desc>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      width, height, escaped(text_.title), escaped(description()));
  draw_head();
  draw_x_axis();
  draw_y_axis();
  for (const int layer : {0, 1, 2}) {
    for (const Line& line : lines_) {
      if (line.layer == layer) out_ += series_svg(line);
    }
  }
  out_ += labels_.svg(lines_, plot_);
  if (!x_axis_.has_values) {
    out_ += text_svg("nothing to show", {(plot_.left + plot_.right) / 2, (plot_.top + plot_.bottom) / 2},
                     label_size, muted_ink, R"(text-anchor="middle")");
  }
  return out_ + "</svg>\n";
}

void Drawing::draw_head() {
  constexpr const char* bold = R"(font-weight="600")";
  double y = margin - 6;
  for (const std::string& line : title_) out_ += text_svg(line, {margin, y += 26}, 22, ink, bold);
  y += 2;
  for (const std::string& line : subtitle_) out_ += text_svg(line, {margin, y += 20}, label_size, muted_ink);
  out_ += text_svg(text_.y_title, {margin, plot_.top - 14}, label_size, ink, bold);
}

void Drawing::draw_x_axis() {
  const double room_a_label = widest_label(ticks_of(x_axis_, 1)) + 12;
  for (const Tick& tick : ticks_of(x_axis_, room_a_label)) {
    const double x = x_axis_.at(tick.value);
    out_ +=
        line_svg({x, plot_.top}, {x, plot_.bottom}, tick.label.empty() ? faint_grid_colour : grid_colour, 1);
    out_ += text_svg(tick.label, {x, plot_.bottom + 20}, tick_size, muted_ink, R"(text-anchor="middle")");
  }
  out_ += text_svg(text_.x_title, {(plot_.left + plot_.right) / 2, plot_.bottom + 48}, label_size, ink,
                   R"(font-weight="600" text-anchor="middle")");
}

void Drawing::draw_y_axis() {
  for (const Tick& tick : y_ticks_) {
    const double y = y_axis_.at(tick.value);
    out_ +=
        line_svg({plot_.left, y}, {plot_.right, y}, tick.label.empty() ? faint_grid_colour : grid_colour, 1);
    out_ += text_svg(tick.label, {plot_.left - 10, y + 4.5}, tick_size, muted_ink, R"(text-anchor="end")");
  }
  out_ += line_svg({plot_.left, plot_.bottom}, {plot_.right, plot_.bottom}, axis_colour, 1.5);
  out_ += line_svg({plot_.left, plot_.top}, {plot_.left, plot_.bottom}, axis_colour, 1.5);
}

std::string Drawing::description() const {
  std::string text = text_.description;
  for (const Line& line : lines_) {
    if (!text.empty()) text += ' ';
    if (line.texts.empty()) {
      text += line.series->name + ": no points.";
    } else {
      text += line.texts.front();
      if (line.texts.size() > 1) text += ", then " + line.texts.back();
      text += '.';
    }
  }
  return text;
}

}  // namespace

std::string svg_chart(const ChartText& text, const std::vector<Series>& series) {
  for (const Series& one : series) {
    if (one.x.size() != one.y.size()) throw std::invalid_argument("svg_chart: x and y differ in length");
  }
  return Drawing(text, series).svg();
}

}  // namespace tilewalk
