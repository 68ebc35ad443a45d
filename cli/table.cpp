#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tilewalk {
namespace {

constexpr std::size_t gap = 2;

struct Range {
  char32_t first, last;
};

// Unicode's East_Asian_Width W and F, in blocks: what terminals draw two columns wide.
constexpr Range wide[] = {{0x1100, 0x115f},  {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97c},
                          {0xac00, 0xd7a3},  {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},
                          {0xffe0, 0xffe6},  {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
                          {0x20000, 0x3fffd}};

// Control characters, combining marks, joiners, variation selectors.
constexpr Range invisible[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x300, 0x36f},    {0x483, 0x489},
                               {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},  {0x202a, 0x202e},
                               {0x2060, 0x2064}, {0x20d0, 0x20f0}, {0x302a, 0x302d},  {0xfe00, 0xfe0f},
                               {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}};

template <std::size_t N>
bool is_in(const Range (&ranges)[N], char32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [code](Range range) { return range.first <= code && code <= range.last; });
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return align == Align::left ? text + space : space + text;
}

void remove_trailing_spaces(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add_row(std::vector<std::string> cells, Style style) {
  if (cells.size() > columns_.size()) throw std::invalid_argument("Table::add_row: more cells than columns");
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), style});
}

std::string Table::text(bool terminal) const {
  std::vector<std::string> headers, rules;
  const std::vector<std::size_t> width = widths();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    headers.push_back(columns_[i].header);
    rules.push_back(std::string(width[i], '-'));
  }
  std::string text = styled(line(headers, width), Style::bold, terminal) + '\n';
  text += styled(line(rules, width), Style::dim, terminal) + '\n';
  for (const Row& row : rows_) text += styled(line(row.cells, width), row.style, terminal) + '\n';
  return text;
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].header);
    for (const Row& row : rows_) width = std::max(width, display_width(row.cells[i]));
    widths.push_back(width);
  }
  return widths;
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line.append(gap, ' ');
    line += padded(cells[i], widths[i], columns_[i].align);
  }
  remove_trailing_spaces(line);
  return line;
}

std::string styled(std::string_view text, Style style, bool terminal) {
  if (!terminal || style == Style::plain) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", style == Style::bold ? 1 : 2, text);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const char32_t code = take_code_point(text);
    width += is_in(invisible, code) ? 0 : is_in(wide, code) ? 2 : 1;
  }
  return width;
}

char32_t take_code_point(std::string_view& text) {
  constexpr char32_t replacement = 0xfffd;
  const auto byte = [&](std::size_t i) -> char32_t { return static_cast<unsigned char>(text[i]); };
  const char32_t lead = byte(0);
  const std::size_t length = lead < 0x80       ? 1
                             : lead >> 5 == 6  ? 2
                             : lead >> 4 == 14 ? 3
                             : lead >> 3 == 30 ? 4
                                               : 0;
  char32_t code = length <= 1 ? lead : lead & (0x7fu >> length);
  bool valid = length > 0 && length <= text.size();
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = byte(i) >> 6 == 2;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};  // anything less is an overlong spelling
  valid = valid && code >= smallest[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  text.remove_prefix(valid ? length : 1);
  return valid ? code : replacement;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, " ");
  return digits;
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  std::string_view prefixes = "kMGTPE";
  // 999.5 rounds to four figures, so the next unit begins there.
  for (value /= 1000; value >= 999.5; value /= 1000) prefixes.remove_prefix(1);
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}B", value, decimals, prefixes[0]);
}

}  // namespace tilewalk
