#include "cli/shown_matrix.h"

#include <fmt/format.h>

namespace tilewalk {
namespace {

// Indices 0..n-1 with the middle left out (-1) when there are more than eight.
std::vector<std::int64_t> elided(std::int64_t n) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < n; ++i) {
    if (n <= 8 || i < 5 || i >= n - 2) indices.push_back(i);
    if (n > 8 && i == 5) indices.push_back(-1);
  }
  return indices;
}

constexpr int cell_width = 10;

std::string cell(const ShownMatrix& matrix, std::int64_t row, std::int64_t col) {
  if (row < 0 || col < 0) return fmt::format("{:>{}}", "..", cell_width);
  const auto at = static_cast<std::size_t>(row * matrix.cols + col);
  if (!matrix.written[at]) return fmt::format("{:>{}}", "unwritten", cell_width);
  return fmt::format("{:>{}.4g}", matrix.values[at], cell_width);
}

std::string index_text(std::int64_t first, std::int64_t index, int width) {
  return index < 0 ? fmt::format("{:>{}}", "..", width) : fmt::format("{:>{}}", first + index, width);
}

constexpr int label_width = 8;

std::string grid_text(const ShownMatrix& matrix) {
  std::string text(label_width, ' ');
  for (const std::int64_t c : elided(matrix.cols)) text += index_text(matrix.first_col, c, cell_width);
  text += '\n';
  for (const std::int64_t r : elided(matrix.rows)) {
    text += index_text(matrix.first_row, r, label_width);
    for (const std::int64_t c : elided(matrix.cols)) text += cell(matrix, r, c);
    text += '\n';
  }
  return text;
}

// One number a row, written across.
std::string vector_text(const ShownMatrix& matrix) {
  std::string text = fmt::format("{:>{}}", "row", label_width), values(label_width, ' ');
  for (const std::int64_t r : elided(matrix.rows)) {
    text += index_text(matrix.first_row, r, cell_width);
    values += cell(matrix, r, r < 0 ? -1 : 0);
  }
  return text + '\n' + values + '\n';
}

}  // namespace

std::string matrix_text(const ShownMatrix& matrix) {
  std::string title = matrix.name;
  if (!matrix.place.empty()) title += " in " + matrix.place;
  if (matrix.rows > 0) title += fmt::format(", {} x {}", matrix.rows, matrix.cols);
  if (!matrix.about.empty()) title += ", " + matrix.about;
  if (!matrix.status.empty()) return title + ": " + matrix.status + "\n";
  return title + "\n" + (matrix.cols == 1 ? vector_text(matrix) : grid_text(matrix));
}

}  // namespace tilewalk
