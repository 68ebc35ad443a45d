// Text for a terminal: tables whose columns line up, and numbers as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewalk {

enum class Align { left, right };
enum class Style { plain, bold, dim };

struct Column {
  std::string header;
  Align align = Align::left;
};

// Columns are as wide as their widest cell and stand two spaces apart; the header is underlined. Cells are
// UTF-8 without line breaks and control characters.
class Table {
 public:
  explicit Table(std::vector<Column> columns);

  // Missing cells are empty. Throws std::invalid_argument if there are more cells than columns.
  void add_row(std::vector<std::string> cells, Style style = Style::plain);

  // The table, each line ended by '\n' and free of trailing spaces. With `terminal` the header is bold and
  // rows have their style; without, no escape sequence is in it.
  std::string text(bool terminal) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Style style;
  };

  std::vector<std::size_t> widths() const;
  std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// `text` in bold or dim by ANSI escape sequences if `terminal`, otherwise as it is.
std::string styled(std::string_view text, Style style, bool terminal);

// Columns that UTF-8 text takes on a terminal: 2 for Chinese, Japanese, Korean and emoji, 0 for combining
// marks and control characters, 1 for the rest. A byte that is not UTF-8 counts 1.
std::size_t display_width(std::string_view text);

// The next code point of UTF-8 text, split off. A byte that begins none gives U+FFFD and is split off alone.
// `text` must not be empty.
char32_t take_code_point(std::string_view& text);

// 1048576 -> "1 048 576".
std::string grouped(std::uint64_t number);

// Three figures in decimal units: 512 -> "512 B", 8589934592 -> "8.59 GB" (1 GB = 1e9 bytes).
std::string human_bytes(std::uint64_t bytes);

}  // namespace tilewalk
