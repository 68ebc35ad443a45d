#include "viz/section.h"

#include <cmath>

namespace tilewalk::viz {

void section_heading(const Frame& frame, Box box, std::string_view title,
                     std::initializer_list<Origin> origins, bool first) {
  if (!first)
    ImGui::GetWindowDrawList()->AddLine({box.min.x, box.min.y + 0.5f}, {box.max.x, box.min.y + 0.5f},
                                        frame.theme.line);
  if (!first) box.cut_top(std::round(frame.px(6)));
  for (const Origin origin : origins) box = origin_badge(frame, box, origin);
  draw_text(frame, box, title, frame.theme.strong, frame.fonts.body);
}

std::string prefixed(double number) {
  constexpr std::string_view prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t n = 0;
  while (std::abs(number) >= 999.5 && n + 1 < std::size(prefixes)) number /= 1000, ++n;
  const int after = std::abs(number) >= 99.95 || (n == 0 && number == std::floor(number)) ? 0
                    : std::abs(number) >= 9.995                                           ? 1
                                                                                          : 2;
  return fmt::format("{:.{}f}\u00A0{}", number, after, prefixes[n]);
}

std::string bytes_text(std::uint64_t bytes, float width, const ImFont* font) {
  if (bytes == 0) return "–";
  const std::string whole = grouped(bytes) + "\u00A0B";
  return text_width(whole, font) <= width ? whole : prefixed(double(bytes)) + "B";
}

std::string seconds_text(double seconds) {
  constexpr std::string_view units[] = {"s", "ms", "µs", "ns"};
  std::size_t n = 0;
  while (seconds < 1 && seconds > 0 && n + 1 < std::size(units)) seconds *= 1000, ++n;
  return fmt::format("{:.3g}\u00A0{}", seconds, units[n]);
}

}  // namespace tilewalk::viz
