#include "viz/roofline.h"

#include <cmath>

#include "viz/section.h"

namespace tilewalk::viz {
namespace {

struct Axes {
  Box plot;
  double x_first, x_last, y_first, y_last;  // decimal logarithms

  float x(double intensity) const {
    return plot.min.x + plot.width() * float((std::log10(intensity) - x_first) / (x_last - x_first));
  }
  float y(double rate) const {
    return plot.max.y - plot.height() * float((std::log10(rate) - y_first) / (y_last - y_first));
  }
};

// Whole decades around the ridge and every point.
Axes axes_of(const Roofline& r, const Box& plot) {
  const double ridge = r.peak / r.bandwidth;
  double low = ridge, high = ridge, bottom = r.peak;
  for (const RooflinePoint& p : r.points) {
    low = std::min(low, p.intensity);
    high = std::max(high, p.intensity);
    bottom = std::min(bottom, p.rate);
  }
  return {plot, std::floor(std::log10(low) - 0.3), std::ceil(std::log10(high) + 0.3),
          std::floor(std::log10(bottom) - 0.2), std::ceil(std::log10(r.peak) + 0.25)};
}

// "100 T" of 14.
std::string power_text(double power) {
  const auto third = static_cast<int>(std::floor(power / 3));
  if (third < 0 || third > 6) return fmt::format("1e{:.0f}", power);
  constexpr std::string_view prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  return fmt::format("{:.0f}\u00A0{}", std::pow(10, power - 3 * third), prefixes[third]);
}

void draw_grid(const Frame& frame, const Axes& axes, const Box& box) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImFont* font = frame.fonts.small;
  const float high = line_height(font) + 2, least = text_width("0.001", font) + frame.px(12);
  float free_from = axes.plot.min.x;
  for (double at = axes.x_first; at <= axes.x_last; ++at) {
    const float x = std::floor(axes.x(std::pow(10, at))) + 0.5f;
    list->AddLine({x, axes.plot.min.y}, {x, axes.plot.max.y}, with_alpha(frame.theme.line, 0.5f));
    const Box label{{x - least / 2, axes.plot.max.y + 1}, {x + least / 2, axes.plot.max.y + 1 + high}};
    if (label.min.x < free_from || label.max.x > box.max.x) continue;
    draw_text(frame, label, fmt::format("{:g}", std::pow(10, at)), frame.theme.muted, font, Align::centre);
    free_from = label.max.x;
  }
  float free_below = axes.plot.max.y + high;
  for (double at = axes.y_first; at <= axes.y_last; ++at) {
    const float y = std::floor(axes.y(std::pow(10, at))) + 0.5f;
    list->AddLine({axes.plot.min.x, y}, {axes.plot.max.x, y}, with_alpha(frame.theme.line, 0.5f));
    const Box label{{box.min.x, y - high / 2}, {axes.plot.min.x - frame.px(6), y + high / 2}};
    if (label.max.y > free_below || label.min.y < box.min.y) continue;
    draw_text(frame, label, power_text(at), frame.theme.muted, font, Align::right);
    free_below = label.min.y;
  }
}

bool overlap(const Box& a, const Box& b) {
  return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y;
}

// A place for a text near a point that touches nothing yet; the text is left out where there is none.
class Labels {
 public:
  Labels(const Frame& frame, const Box& within) : frame_(frame), within_(within) {}
  void block(const Box& box) { taken_.push_back(box); }

  void put(ImVec2 at, std::string_view text, Colour colour, bool leader) {
    const ImFont* font = frame_.fonts.small;
    const float w = std::ceil(text_width(text, font)) + 2, h = line_height(font) + 2, gap = frame_.px(8);
    for (int ring = 0; ring < 6; ++ring) {
      const float far = gap + float(ring) * h;
      const ImVec2 places[] = {{at.x + gap, at.y + float(ring) * h - h / 2},
                               {at.x - gap - w, at.y + float(ring) * h - h / 2},
                               {at.x - w / 2, at.y + far},
                               {at.x - w / 2, at.y - far - h},
                               {at.x + gap, at.y - float(ring) * h - h / 2},
                               {at.x - gap - w, at.y - float(ring) * h - h / 2}};
      for (const ImVec2 place : places) {
        const Box box{place, {place.x + w, place.y + h}};
        if (!is_free(box)) continue;
        if (leader && ring > 0)
          ImGui::GetWindowDrawList()->AddLine(at, {std::clamp(at.x, box.min.x, box.max.x), box.centre().y},
                                              with_alpha(colour, 0.5f));
        draw_text(frame_, box, text, colour, font);
        return block(box);
      }
    }
  }

 private:
  bool is_free(const Box& box) const {
    if (box.min.x < within_.min.x || box.max.x > within_.max.x || box.min.y < within_.min.y ||
        box.max.y > within_.max.y)
      return false;
    for (const Box& other : taken_) {
      if (overlap(box, other)) return false;
    }
    return true;
  }

  const Frame& frame_;
  Box within_;
  std::vector<Box> taken_;
};

Box around(ImVec2 at, float by) { return {{at.x - by, at.y - by}, {at.x + by, at.y + by}}; }

// The roof, and boxes along it that no label may cover.
void draw_roof(const Frame& frame, const Axes& axes, const Roofline& r, Labels& labels) {
  const double ridge = r.peak / r.bandwidth, left = std::pow(10, axes.x_first),
               right = std::pow(10, axes.x_last);
  const double start = std::max(left, std::pow(10, axes.y_first) / r.bandwidth);
  const ImVec2 foot{axes.x(start), axes.y(start * r.bandwidth)}, top{axes.x(ridge), axes.y(r.peak)};
  const ImVec2 end{axes.x(right), top.y};
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 corners[] = {foot, top, end};
  list->AddPolyline(corners, 3, frame.theme.path, 0, frame.px(2));
  constexpr int pieces = 24;
  for (int n = 0; n <= pieces; ++n) {
    const float part = float(n) / pieces;
    labels.block(around({foot.x + (top.x - foot.x) * part, foot.y + (top.y - foot.y) * part}, frame.px(3)));
  }
  labels.block({{top.x, top.y - frame.px(3)}, {end.x, top.y + frame.px(3)}});
  const ImVec2 middle{(foot.x + top.x) / 2, (foot.y + top.y) / 2};
  labels.put({(top.x + end.x) / 2, top.y}, prefixed(r.peak) + "FLOP/s", frame.theme.path, false);
  labels.put(middle, prefixed(r.bandwidth) + "B/s", frame.theme.path, false);
}

}  // namespace

Roofline roofline_of(const Frame& frame) {
  const Plan& plan = frame.runs.front().plan();
  const Arch& arch = plan.config.arch;
  double bandwidth = 0;
  for (const Link& link : arch.links) {
    if (link.from == "hbm" || link.to == "hbm") bandwidth = std::max(bandwidth, link.bandwidth);
  }
  Roofline result{arch.matmul_rate(plan.problem().dtype), bandwidth, {}};
  const auto add = [&](const Run& run, bool strong) {
    const double time = run.time_estimate(), intensity = run.intensity();
    const auto label = run.plan->algorithm().name;
    for (RooflinePoint& p : result.points) {
      if (p.label == label) return;
    }
    if (!(time > 0) || !(intensity > 0) || !std::isfinite(intensity)) return;
    const auto& flops = run.total.flops;
    result.points.push_back(
        {std::string(label), intensity, double(flops.matmul + flops.exp + flops.other) / time, strong});
  };
  for (const RunFrame& run : frame.runs) add(run.facts.totals, true);
  for (const Run& run : frame.runs.front().facts.rivals) add(run, false);
  return result;
}

void draw_roofline(const Frame& frame, const Box& box, const Roofline& r) {
  const float high = line_height(frame.fonts.small) + 2;
  Box plot = box;
  plot.cut_left(std::ceil(text_width("100 P", frame.fonts.small)) + frame.px(8));
  plot.cut_top(high);
  plot.cut_bottom(2 * high + 2);
  if (plot.width() < frame.px(60) || plot.height() < frame.px(40) || !(r.peak > 0 && r.bandwidth > 0)) return;
  draw_text(frame, {{box.min.x, box.min.y}, {box.max.x, box.min.y + high}}, frame.text(Str::roofline_y),
            frame.theme.muted, frame.fonts.small);
  draw_text(frame, {{plot.min.x, box.max.y - high}, box.max}, frame.text(Str::roofline_x), frame.theme.muted,
            frame.fonts.small, Align::right);
  plot.cut_top(frame.px(4));
  const Axes axes = axes_of(r, plot);
  draw_grid(frame, axes, box);
  Labels labels(frame, plot);
  for (const RooflinePoint& p : r.points)
    labels.block(around({axes.x(p.intensity), axes.y(p.rate)}, frame.px(5)));
  draw_roof(frame, axes, r, labels);
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const RooflinePoint& p : r.points) {
    const ImVec2 at{axes.x(p.intensity), axes.y(p.rate)};
    const Colour colour = p.strong ? frame.theme.strong : frame.theme.muted;
    if (p.strong)
      list->AddCircleFilled(at, frame.px(4.5f), colour);
    else
      list->AddCircle(at, frame.px(4), colour, 0, frame.px(1.5f));
    labels.put(at, p.label, colour, true);
  }
}

}  // namespace tilewalk::viz
