#include "viz/rich_text.h"

#include <cmath>

#include "viz/text.h"

namespace tilewalk::viz {
namespace {

std::string whole_text(const std::vector<Span>& spans) {
  std::string text;
  for (const Span& span : spans) text += span.text;
  return text;
}

std::size_t without_last_spaces(std::string_view text, std::size_t from, std::size_t to) {
  while (to > from && text[to - 1] == ' ') --to;
  return to;
}

Colour colour_of(const Frame& frame, const Span& span, Colour plain) {
  switch (span.kind) {
    case PieceKind::text: return plain;
    case PieceKind::math: return mixed(frame.theme.selection, frame.theme.strong, 0.45f);
    case PieceKind::strong: return frame.theme.strong;
    case PieceKind::number: return frame.theme.strong;
  }
  return plain;
}

std::string origin_line(const Frame& frame, const Span& span) {
  const std::pair<bool, Str> origins[] = {{span.origins.theory, Str::origin_theory},
                                          {span.origins.model, Str::origin_model},
                                          {span.origins.measured, Str::origin_measured},
                                          {span.origins.published, Str::origin_published}};
  std::string text;
  for (const auto& [is, name] : origins) {
    if (is) text += (text.empty() ? "" : " · ") + std::string(frame.text(name));
  }
  for (const std::string& source : span.sources) text += "\n" + source;
  return text;
}

}  // namespace

Flow::Flow(const Frame& frame, const std::vector<Span>& spans, float width, Colour plain, bool small)
    : spans_(spans), font_(small ? frame.fonts.small : frame.fonts.body), plain_(plain) {
  step_ = std::ceil(line_height(font_) * 1.36f);
  const std::string text = whole_text(spans);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = at + next_break(std::string_view(text).substr(at));
    const std::size_t seen = without_last_spaces(text, at, end);
    float wide = 0;
    for (const Piece& piece : parts(at, seen)) wide += piece.width;
    longest_word_ = std::max(longest_word_, wide);
    if (x_ > 0 && x_ + wide > width) x_ = 0, ++lines_;
    if (wide <= width) {
      place(at, end, width);
    } else {
      for (std::size_t c = at; c < end;) {
        std::string_view rest = std::string_view(text).substr(c, end - c);
        take_character(rest);
        place(c, end - rest.size(), width);
        c = end - rest.size();
      }
    }
    at = end;
  }
}

std::vector<Flow::Piece> Flow::parts(std::size_t from, std::size_t to) const {
  std::vector<Piece> result;
  std::size_t start = 0;
  for (const Span& span : spans_) {
    const std::size_t end = start + span.text.size(), a = std::max(from, start), b = std::min(to, end);
    if (a < b) {
      const auto text = std::string_view(span.text).substr(a - start, b - a);
      result.push_back({text, &span, 0, text_width(text, font_), 0});
    }
    start = end;
  }
  return result;
}

void Flow::place(std::size_t from, std::size_t to, float most) {
  for (Piece piece : parts(from, to)) {
    const std::size_t seen = without_last_spaces(piece.text, 0, piece.text.size());
    const float wide = text_width(piece.text.substr(0, seen), font_);
    if (x_ > 0 && x_ + wide > most + 0.5f) x_ = 0, ++lines_;
    // A whole pixel, as pieces are drawn at whole pixels: a mark behind a letter would else touch it.
    if (pieces_.empty() || pieces_.back().span != piece.span) x_ = std::ceil(x_);
    piece.x = x_;
    piece.line = lines_ - 1;
    x_ += piece.width;
    widest_ = std::max(widest_, piece.x + wide);
    // Neighbours of one span and line are one piece: fewer of them to draw, and one text for whoever looks at
    // them.
    const bool goes_on = !pieces_.empty() && pieces_.back().span == piece.span &&
                         pieces_.back().line == piece.line &&
                         pieces_.back().text.data() + pieces_.back().text.size() == piece.text.data();
    if (!goes_on) {
      pieces_.push_back(piece);
      continue;
    }
    Piece& last = pieces_.back();
    last.text = {last.text.data(), last.text.size() + piece.text.size()};
    last.width += piece.width;
  }
}

void Flow::draw(const Frame& frame, ImVec2 at) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const Piece& piece : pieces_) {
    const float top = at.y + float(piece.line) * step_;
    const ImVec2 place{std::floor(at.x + piece.x), std::floor(top + (step_ - line_height(font_)) / 2)};
    list->AddText(font_, font_->FontSize, place, colour_of(frame, *piece.span, plain_), piece.text.data(),
                  piece.text.data() + piece.text.size());
    if (piece.span->kind != PieceKind::number || piece.span->origins.none()) continue;
    const Box box{{place.x, top}, {place.x + piece.width, top + step_}};
    const float y = std::floor(top + (step_ + line_height(font_)) / 2) + 0.5f;
    list->AddLine({box.min.x, y}, {box.max.x, y}, with_alpha(frame.theme.muted, 0.6f));
    if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(box.min, box.max))
      tooltip(frame, origin_line(frame, *piece.span));
  }
}

namespace {

// A formula in an inset of its own.
float draw_formula_block(const Frame& frame, Box box, const std::vector<Span>& spans) {
  const float pad = std::round(frame.px(7));
  const Flow flow(frame, spans, box.width() - 2 * pad, frame.theme.strong);
  const float height = flow.height() + pad;
  ImGui::GetWindowDrawList()->AddRectFilled(box.min, {box.max.x, box.min.y + height}, frame.theme.inset,
                                            frame.px(5));
  flow.draw(frame, {box.min.x + pad, box.min.y + pad / 2});
  return height;
}

float draw_item(const Frame& frame, Box box, const std::vector<Span>& spans, Colour colour) {
  const float indent = std::round(frame.px(16));
  const Flow flow(frame, spans, box.width() - indent, colour);
  const float radius = frame.px(2.5f), first = std::ceil(line_height(frame.fonts.body) * 1.36f) / 2;
  ImGui::GetWindowDrawList()->AddCircleFilled({box.min.x + frame.px(6), box.min.y + first}, radius, colour);
  flow.draw(frame, {box.min.x + indent, box.min.y});
  return flow.height();
}

// Widths of columns: what their cells would like, or less where that is too much; what a column can be
// narrowed by, down to its longest word, is shared out by how much it wants. Empty where even that does not
// fit.
std::vector<float> column_widths(const Frame& frame, std::span<const Paragraph> rows, float room) {
  std::vector<float> wanted, least;
  for (const Paragraph& row : rows) {
    wanted.resize(std::max(wanted.size(), row.cells.size()));
    least.resize(wanted.size());
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const Flow flow(frame, row.cells[c], 1e6f, 0, true);
      wanted[c] = std::max(wanted[c], std::ceil(flow.width()) + 1);
      least[c] = std::max(least[c], std::ceil(flow.longest_word()) + 1);
    }
  }
  float all = 0, fixed = 0;
  for (const float w : wanted) all += w;
  for (const float w : least) fixed += w;
  if (all <= room) return wanted;
  if (fixed > room) return {};
  for (std::size_t c = 0; c < wanted.size(); ++c)
    wanted[c] = std::floor(least[c] + (wanted[c] - least[c]) * (room - fixed) / (all - fixed));
  return wanted;
}

// A table that is too wide: each row under its first cell, each of its cells behind its heading.
float draw_folded(const Frame& frame, const Box& box, std::span<const Paragraph> rows, Colour colour) {
  const float indent = std::round(frame.px(12)), gap = std::round(frame.px(8));
  const auto& headings = rows.front().cells;
  float column = 0, y = box.min.y;
  for (const auto& cell : headings) column = std::max(column, Flow(frame, cell, 1e6f, 0, true).width());
  column = std::min(std::ceil(column) + gap, (box.width() - indent) * 0.6f);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].cells.size(); ++c) {
      const float left = c == 0 ? 0 : indent + column;
      const Flow value(frame, rows[r].cells[c], box.width() - left, c == 0 ? frame.theme.strong : colour,
                       true);
      float height = value.height();
      value.draw(frame, {box.min.x + left, y});
      if (c > 0 && c < headings.size()) {
        const Flow heading(frame, headings[c], column - gap, frame.theme.muted, true);
        heading.draw(frame, {box.min.x + indent, y});
        height = std::max(height, heading.height());
      }
      y += height;
    }
    y += std::round(frame.px(5));
  }
  return y - box.min.y;
}

float draw_table(const Frame& frame, const Box& box, std::span<const Paragraph> rows, Colour colour) {
  const float gap = std::round(frame.px(10));
  std::size_t columns = 0;
  for (const Paragraph& row : rows) columns = std::max(columns, row.cells.size());
  const auto widths = column_widths(frame, rows, box.width() - gap * float(columns - 1));
  if (widths.empty()) return draw_folded(frame, box, rows, colour);
  float y = box.min.y;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    float x = box.min.x, height = 0;
    for (std::size_t c = 0; c < rows[r].cells.size(); ++c) {
      const Flow flow(frame, rows[r].cells[c], widths[c], r == 0 ? frame.theme.muted : colour, true);
      flow.draw(frame, {x, y});
      height = std::max(height, flow.height());
      x += widths[c] + gap;
    }
    y += height;
    ImGui::GetWindowDrawList()->AddLine({box.min.x, y + 0.5f}, {box.max.x, y + 0.5f},
                                        r == 0 ? frame.theme.muted : frame.theme.line);
    y += std::round(frame.px(2));
  }
  return y - box.min.y;
}

}  // namespace

float draw_filled(const Frame& frame, const Box& box, const Filled& filled, Colour colour) {
  float y = box.min.y;
  for (std::size_t n = 0; n < filled.size(); ++n) {
    if (n > 0)
      y += std::round(
          frame.px(filled[n].kind == BlockKind::item && filled[n - 1].kind == BlockKind::item ? 2 : 9));
    const Box rest{{box.min.x, y}, box.max};
    const auto& cells = filled[n].cells;
    switch (filled[n].kind) {
      case BlockKind::paragraph: {
        const Flow flow(frame, cells.front(), rest.width(), colour);
        flow.draw(frame, rest.min);
        y += flow.height();
        break;
      }
      case BlockKind::formula: y += draw_formula_block(frame, rest, cells.front()); break;
      case BlockKind::item: y += draw_item(frame, rest, cells.front(), colour); break;
      case BlockKind::row: {
        std::size_t end = n;
        while (end < filled.size() && filled[end].kind == BlockKind::row) ++end;
        y += draw_table(frame, rest, std::span(filled).subspan(n, end - n), colour);
        n = end - 1;
      }
    }
  }
  return y - box.min.y;
}

void add_sources(const Filled& filled, std::vector<std::string>& sources) {
  for (const Paragraph& paragraph : filled) {
    for (const auto& cell : paragraph.cells) {
      for (const Span& span : cell) {
        for (const std::string& source : span.sources) {
          if (std::find(sources.begin(), sources.end(), source) == sources.end()) sources.push_back(source);
        }
      }
    }
  }
}

}  // namespace tilewalk::viz
