#include "cli/units.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/table.h"

namespace tilewalk {
namespace {

// Three figures, e.g. 1.23, 12.3, 123.
std::string three_figures(double value) {
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::string human_time(double seconds) {
  if (seconds == 0) return "0 s";
  for (const auto& [unit, size] : {std::pair{"s", 1.0}, {"ms", 1e-3}, {"µs", 1e-6}}) {
    if (seconds >= 0.9995 * size) return three_figures(seconds / size) + " " + unit;
  }
  return three_figures(seconds / 1e-9) + " ns";
}

std::string human_count(double count) {
  if (count < 1e4) return grouped(static_cast<std::uint64_t>(count));
  for (const auto& [unit, size] : {std::pair{"E", 1e18}, {"P", 1e15}, {"T", 1e12}, {"G", 1e9}, {"M", 1e6}}) {
    if (count >= 0.9995 * size) return three_figures(count / size) + " " + unit;
  }
  return three_figures(count / 1e3) + " k";
}

std::string exact_bytes(std::uint64_t bytes) {
  const std::string exact = grouped(bytes) + " B";
  return bytes < 1000 ? exact : exact + " (" + human_bytes(bytes) + ")";
}

std::string part_of(double part, double whole) {
  if (part == 0) return "0 %";
  const double share = part / whole;
  if (!std::isfinite(share)) return "beyond all bounds";
  return share <= 1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.3g} x", share);
}

}  // namespace tilewalk
