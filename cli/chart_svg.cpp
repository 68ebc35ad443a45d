#include "cli/chart_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/table.h"

namespace tilewalk::chart {
namespace {

// The bytes of the next character, split off.
std::string_view take_character(std::string_view& text) {
  const std::string_view before = text;
  take_code_point(text);
  return before.substr(0, before.size() - text.size());
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view bytes = take_character(text);
    std::string_view rest = bytes;
    const char32_t code = take_code_point(rest);
    switch (code) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        const bool control = code < 0x20 && code != '\t' && code != '\n';
        const bool forbidden = control || (code >= 0xfffd && code < 0x10000);
        out += forbidden ? "\xef\xbf\xbd" : bytes;
    }
  }
  return out;
}

std::string text_svg(std::string_view text, Point at, double size, const char* colour,
                     std::string_view attributes) {
  if (text.empty()) return "";
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.0f}\" fill=\"{}\"{}{}>{}</text>\n", at.x,
                     at.y, size, colour, attributes.empty() ? "" : " ", attributes, escaped(text));
}

std::string line_svg(Point from, Point to, const char* colour, double stroke_width) {
  return fmt::format("<path d=\"M{:.1f},{:.1f}L{:.1f},{:.1f}\" stroke=\"{}\" stroke-width=\"{:.1f}\"/>\n",
                     from.x, from.y, to.x, to.y, colour, stroke_width);
}

double text_width(std::string_view text, double size) {
  constexpr double narrow = 0.62, wide = 1.02;
  double ems = 0;
  while (!text.empty()) {
    const std::size_t columns = display_width(take_character(text));
    ems += columns == 2 ? wide : narrow * static_cast<double>(columns);
  }
  return ems * size;
}

std::string shortened(std::string_view text, double size, double room) {
  if (text_width(text, size) <= room) return std::string(text);
  std::string kept;
  while (!text.empty()) {
    std::string longer = kept;
    longer += take_character(text);
    if (text_width(longer + "…", size) > room) break;
    kept = longer;
  }
  return kept + "…";
}

std::vector<std::string> wrapped(const std::string& text, double size, double room) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (lines.empty() || text_width(lines.back() + " " + word, size) > room) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
    begin = end + 1;
  }
  for (std::string& line : lines) line = shortened(line, size, room);
  return lines;
}

}  // namespace tilewalk::chart
