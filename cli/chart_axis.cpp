#include "cli/chart_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "cli/chart_svg.h"
#include "cli/table.h"

namespace tilewalk::chart {
namespace {

// ---- Labels ----

// Four figures at most and a decimal prefix: 2.5 GB.
std::string with_decimal_prefix(double value, const std::string& unit) {
  constexpr std::string_view prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"};
  constexpr int unprefixed = 4;
  const int least = unit == "B" ? 0 : -unprefixed;  // there are no millibytes
  const int thousands = std::clamp(static_cast<int>(std::floor(std::log10(value) / 3 + 1e-9)), least, 6);
  return fmt::format("{:.4g} {}{}", value / std::pow(1000.0, thousands), prefixes[thousands + unprefixed],
                     unit);
}

// 65536 B -> "64 KiB"; without a unit "65 536".
std::string power_of_two_label(double value, const std::string& unit) {
  constexpr double largest_grouped = 0x1p40;
  if (unit.empty() && value < largest_grouped) return grouped(static_cast<std::uint64_t>(value));
  constexpr std::string_view prefixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  const int thousands = std::clamp(std::ilogb(value) / 10, 0, 6);
  return fmt::format("{:.4g} {}{}", std::ldexp(value, -10 * thousands), prefixes[thousands], unit);
}

// ---- Ticks ----

bool is_power_of_two(double value) {
  int exponent;
  return value >= 1 && std::frexp(value, &exponent) == 0.5;
}

// From one label to the next, in steps of the axis.
int stride_for(double room_a_label, double room_a_step) {
  return std::max(1, static_cast<int>(std::ceil(room_a_label / room_a_step)));
}

std::vector<Tick> binary_ticks(const Axis& axis, double room_a_label) {
  const double log2_of_10 = std::log2(10.0);
  const int first = std::max(0, static_cast<int>(std::ceil(axis.low * log2_of_10)));
  const int last = std::min(1023, static_cast<int>(std::floor(axis.high * log2_of_10)));
  const double room = axis.length() / ((axis.high - axis.low) * log2_of_10);
  const int stride = stride_for(room_a_label, room);
  constexpr double room_a_line = 8;
  std::vector<Tick> ticks;
  for (int k = first; k <= last; ++k) {
    const double value = std::ldexp(1.0, k);
    const bool labelled = (k - first) % stride == 0;
    if (labelled || room >= room_a_line) ticks.push_back({value, labelled ? axis.label(value) : ""});
  }
  return ticks;
}

// mantissas × 10^k inside the axis, for every stride-th k.
std::vector<Tick> decade_ticks(const Axis& axis, std::initializer_list<double> mantissas, int stride = 1) {
  std::vector<Tick> ticks;
  for (int k = static_cast<int>(std::floor(axis.low)); k <= std::floor(axis.high); ++k) {
    for (const double mantissa : mantissas) {
      const double value = mantissa * std::pow(10.0, k);
      if (k % stride == 0 && axis.contains(value)) ticks.push_back({value, axis.label(value)});
    }
  }
  return ticks;
}

// Multiples of a round step, for an axis too short for 1, 2, 5, 10.
std::vector<Tick> linear_ticks(const Axis& axis) {
  const double low = std::pow(10.0, axis.low), high = std::pow(10.0, axis.high);
  const double rough = (high - low) / 6;
  if (!std::isfinite(rough) || rough < 1e-300) return {};  // at the ends of what a double can hold
  const double magnitude = std::pow(10.0, std::floor(std::log10(rough)));
  const double step = magnitude * (rough > 5 * magnitude   ? 10
                                   : rough > 2 * magnitude ? 5
                                   : rough > magnitude     ? 2
                                                           : 1);
  std::vector<Tick> ticks;
  for (double n = std::ceil(low / step); n * step <= high; ++n) {
    ticks.push_back({n * step, axis.label(n * step)});
  }
  return ticks;
}

}  // namespace

double Axis::at(double value) const {
  return start + (std::log10(value) - low) / (high - low) * (stop - start);
}

bool Axis::contains(double value) const {
  constexpr double slack = 1e-9;
  return std::log10(value) >= low - slack && std::log10(value) <= high + slack;
}

double Axis::length() const { return std::abs(stop - start); }

std::string Axis::label(double value) const {
  return binary ? power_of_two_label(value, unit) : decimal_label(value, unit);
}

Axis axis_for(const std::vector<double>& values, std::string unit, bool may_be_binary) {
  Axis axis;
  axis.unit = std::move(unit);
  if (values.empty()) return axis;
  axis.has_values = true;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  axis.low = std::log10(*least);
  axis.high = std::log10(*most);
  axis.binary = may_be_binary && std::all_of(values.begin(), values.end(), is_power_of_two);
  // At least a factor of two is shown, so that small differences look small.
  const double lacking = std::log10(2.0) - (axis.high - axis.low);
  if (lacking > 0) {
    axis.low -= lacking / 2;
    axis.high += lacking / 2;
  }
  return axis;
}

void place(Axis& axis, double start, double stop, double inset) {
  const double widening = (axis.high - axis.low) * inset / (std::abs(stop - start) - 2 * inset);
  axis.low -= widening;
  axis.high += widening;
  axis.start = start;
  axis.stop = stop;
}

std::vector<Tick> ticks_of(const Axis& axis, double room_a_label) {
  if (!axis.has_values) return {};
  if (axis.binary) return binary_ticks(axis, room_a_label);
  const double room_a_decade = axis.length() / (axis.high - axis.low);
  std::vector<Tick> ticks = decade_ticks(axis, {1}, stride_for(room_a_label, room_a_decade));
  const bool finer_fits = room_a_decade * std::log10(2.0) >= room_a_label;
  if (ticks.size() < 3 && finer_fits) ticks = decade_ticks(axis, {1, 2, 5});
  if (ticks.size() < 3) ticks = linear_ticks(axis);
  return ticks;
}

double widest_label(const std::vector<Tick>& ticks) {
  double widest = 0;
  for (const Tick& tick : ticks) widest = std::max(widest, text_width(tick.label, tick_size));
  return widest;
}

std::string decimal_label(double value, const std::string& unit) {
  constexpr double largest_grouped = 1e7;
  if (!unit.empty() || value >= largest_grouped) return with_decimal_prefix(value, unit);
  if (value == std::floor(value)) return grouped(static_cast<std::uint64_t>(value));
  return fmt::format("{:.4g}", value);
}

}  // namespace tilewalk::chart
