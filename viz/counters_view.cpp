// What it has cost so far: bytes by tensor and level, work, time, and where that stands under the roof.
// A single run is shown beside its opposite on the same inputs, as far in.
#include <cmath>

#include "viz/counters.h"
#include "viz/roofline.h"
#include "viz/section.h"
#include "viz/sentence.h"
#include "viz/views.h"

namespace tilewalk::viz {
namespace {

constexpr float line = 22, heading = 30, gap = 10;
constexpr float bar_block = 46;  // of one column in the first section

struct Piece {
  std::string_view tensor;
  bool write;
  std::uint64_t bytes;
};

// Reads are filled, writes hatched.
void draw_piece(const Frame& frame, const Box& box, Colour colour, bool write) {
  if (box.width() <= 0) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.min, box.max, write ? with_alpha(colour, 0.35f) : colour);
  if (write && box.width() > 2) {
    list->AddRect(box.min, box.max, colour);
    hatch(box, colour, frame.px(5), std::max(1.0f, frame.px(1)));
  }
}

std::vector<Piece> pieces_of(const Counted& c) {
  std::vector<Piece> pieces;
  const auto hbm = static_cast<std::size_t>(c.plan->config.arch.level("hbm"));
  for (std::size_t t = 0; t < c.plan->tensors.size(); ++t) {
    for (const bool write : {false, true}) {
      const std::uint64_t bytes = c.so_far.bytes[hbm][write][t];
      if (bytes > 0) pieces.push_back({c.plan->tensors[t].name, write, bytes});
    }
  }
  return pieces;
}

void draw_stack(const Frame& frame, const Counted& c, Box bar, double most) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(bar.min, bar.max, frame.theme.inset);
  const float whole = bar.width() * float(double(hbm_total(c.whole->total, *c.plan)) / most);
  list->AddRect(bar.min, {bar.min.x + whole, bar.max.y}, frame.theme.line);
  float x = bar.min.x;
  for (const Piece& piece : pieces_of(c)) {
    const float width = bar.width() * float(double(piece.bytes) / most);
    const Box box{{x, bar.min.y}, {x + width, bar.max.y}};
    draw_piece(frame, box, tensor_colour(frame.theme, piece.tensor), piece.write);
    const std::string letter = letter_of(piece.tensor);
    if (!piece.write && width >= text_width(letter, frame.fonts.small) + frame.px(6))
      draw_text(frame, box, letter, frame.theme.background, frame.fonts.small, Align::centre);
    if (box.contains(ImGui::GetIO().MousePos) && ImGui::IsWindowHovered()) {
      tooltip(frame, frame.filled(piece.write ? Str::piece_written : Str::piece_read, piece.tensor,
                                  grouped(piece.bytes)));
    }
    x += width;
  }
}

// "1 048 576 of 2 359 296 B", shorter where that does not fit.
std::string so_far_text(const Frame& frame, std::uint64_t now, std::uint64_t all, float width) {
  const std::string whole = frame.filled(Str::bytes_of, grouped(now), grouped(all));
  if (text_width(whole, frame.fonts.mono) <= width) return whole;
  return frame.filled(Str::bytes_of, prefixed(double(now)), prefixed(double(all)));
}

void draw_bars(const Frame& frame, const std::vector<Counted>& columns, Box& rest) {
  section_heading(frame, rest.cut_top(std::round(frame.px(heading - 6))), frame.text(Str::hbm_so_far),
                  {Origin::model}, true);
  double most = 1;
  for (const Counted& c : columns) most = std::max(most, double(hbm_total(c.whole->total, *c.plan)));
  for (const Counted& c : columns) {
    Box block = rest.cut_top(std::round(frame.px(bar_block)));
    Box words = block.cut_top(std::round(frame.px(line)));
    const std::string text = so_far_text(frame, hbm_total(c.so_far, *c.plan),
                                         hbm_total(c.whole->total, *c.plan), words.width() * 0.72f);
    draw_text(frame, words.cut_right(std::ceil(text_width(text, frame.fonts.mono))), text, frame.theme.strong,
              frame.fonts.mono, Align::right);
    words.cut_right(frame.px(8));
    draw_text(frame, words, c.name, c.shadow ? frame.theme.muted : frame.theme.text, frame.fonts.body);
    draw_stack(frame, c, block.cut_top(std::round(frame.px(14))), most);
  }
}

// A swatch for each tensor, and what filled and hatched mean; on as many lines as it takes.
float draw_legend(const Frame& frame, const std::vector<Traffic>& tensors, Box box, bool really) {
  const float size = std::round(frame.px(11)), high = std::round(frame.px(20));
  Box row = box.cut_top(high);
  float used = high;
  const auto entry = [&](std::string_view text, Colour colour, bool write) {
    const float width = size + frame.px(6) + std::ceil(text_width(text, frame.fonts.small)) + 1;
    if (width > row.width() && row.min.x > box.min.x) row = box.cut_top(high), used += high;
    Box place = row.cut_left(width);
    row.cut_left(frame.px(12));
    if (!really) return;
    const float top = std::floor(place.centre().y - size / 2);
    draw_piece(frame, {{place.min.x, top}, {place.min.x + size, top + size}}, colour, write);
    place.cut_left(size + frame.px(6));
    draw_text(frame, place, text, frame.theme.text, frame.fonts.small);
  };
  for (const Traffic& row_of : tensors)
    entry(letter_of(row_of.label), tensor_colour(frame.theme, row_of.label), false);
  entry(frame.text(Str::read), frame.theme.muted, false);
  entry(frame.text(Str::written), frame.theme.muted, true);
  return used;
}

// One line for a column: a bar of what was read and written, and both numbers.
void draw_traffic_line(const Frame& frame, const std::string& name, std::array<std::uint64_t, 2> bytes,
                       double most, Colour colour, Box row) {
  const ImFont* font = frame.fonts.mono_small;
  const float number = std::floor(std::min(row.width() * 0.27f, text_width("000 000 000 000 B", font) + 2));
  draw_text(frame, row.cut_right(number), bytes_text(bytes[1], number, font), frame.theme.text, font,
            Align::right);
  row.cut_right(frame.px(8));
  draw_text(frame, row.cut_right(number), bytes_text(bytes[0], number, font), frame.theme.text, font,
            Align::right);
  row.cut_right(frame.px(10));
  draw_text(frame, row.cut_left(std::floor(row.width() * 0.55f)), name, frame.theme.muted, frame.fonts.small);
  row.cut_left(frame.px(6));
  const Box bar = row.inset(0, std::round(row.height() * 0.22f));
  if (bar.width() < frame.px(8)) return;
  const float read = bar.width() * float(double(bytes[0]) / most),
              written = bar.width() * float(double(bytes[1]) / most);
  draw_piece(frame, {bar.min, {bar.min.x + read, bar.max.y}}, colour, false);
  draw_piece(frame, {{bar.min.x + read, bar.min.y}, {bar.min.x + read + written, bar.max.y}}, colour, true);
}

void draw_traffic(const Frame& frame, const std::vector<Counted>& columns, const std::vector<Traffic>& rows,
                  Str title, bool tensors, Box& rest) {
  section_heading(frame, rest.cut_top(std::round(frame.px(heading))), frame.text(title), {Origin::model});
  Box names = rest.cut_top(std::round(frame.px(line)));
  const ImFont* font = frame.fonts.small;
  const float label = std::round(frame.px(46));
  const float number = std::floor(
      std::min((names.width() - label) * 0.27f, text_width("000 000 000 000 B", frame.fonts.mono_small) + 2));
  draw_text(frame, names.cut_right(number), frame.text(Str::written), frame.theme.muted, font, Align::right);
  names.cut_right(frame.px(8));
  draw_text(frame, names.cut_right(number), frame.text(Str::read), frame.theme.muted, font, Align::right);
  for (const Traffic& row : rows) {
    const double most = std::max(1.0, double(row.most()));
    const Colour colour = tensors ? tensor_colour(frame.theme, row.label) : frame.theme.selection;
    for (std::size_t n = 0; n < columns.size(); ++n) {
      Box place = rest.cut_top(std::round(frame.px(line)));
      const Box name = place.cut_left(label);
      if (n == 0)
        draw_text(frame, name, row.label, tensors ? colour : frame.theme.text, frame.fonts.mono_small);
      draw_traffic_line(frame, columns[n].name, row.bytes[n], most, colour, place);
    }
    rest.cut_top(std::round(frame.px(4)));
  }
}

struct Figure {
  Str label;
  Origin origin;
  std::string (*value)(const Counted&);
};

std::string theory_bytes(const Counted& c) {
  const Theory theory = c.plan->algorithm().theory(c.plan->problem(), c.plan->config.tiling);
  return theory.known ? prefixed(theory.hbm_bytes * double(1)) + "B" : "–";
}

constexpr Figure figures[] = {
    {Str::flops_so_far, Origin::model,
     [](const Counted& c) { return prefixed(double(c.so_far.flops.matmul)); }},
    {Str::exp_so_far, Origin::model, [](const Counted& c) { return prefixed(double(c.so_far.flops.exp)); }},
    {Str::flops_whole, Origin::model,
     [](const Counted& c) { return prefixed(double(c.whole->total.flops.matmul)); }},
    {Str::flops_useful, Origin::theory,
     [](const Counted& c) { return prefixed(double(c.whole->useful_flops())); }},
    {Str::exp_whole, Origin::model,
     [](const Counted& c) { return prefixed(double(c.whole->total.flops.exp)); }},
    {Str::hbm_whole, Origin::model,
     [](const Counted& c) { return prefixed(double(c.whole->bytes("hbm"))) + "B"; }},
    {Str::hbm_closed, Origin::theory, theory_bytes},
    {Str::hbm_least, Origin::theory,
     [](const Counted& c) { return prefixed(double(c.whole->compulsory_bytes())) + "B"; }},
    {Str::intensity, Origin::model,
     [](const Counted& c) { return fmt::format("{:.3g}", c.whole->intensity()); }},
    {Str::time_memory, Origin::model, [](const Counted& c) { return seconds_text(c.whole->time().memory); }},
    {Str::time_compute, Origin::model,
     [](const Counted& c) { return seconds_text(c.whole->time().compute); }},
    {Str::time_estimate, Origin::model,
     [](const Counted& c) { return seconds_text(c.whole->time_estimate()); }},
};

void draw_figures(const Frame& frame, const std::vector<Counted>& columns, Box& rest) {
  section_heading(frame, rest.cut_top(std::round(frame.px(heading))), frame.text(Str::work_and_time), {});
  const float badge = std::round(frame.px(72));
  const float value =
      std::floor(std::min(frame.px(130), (rest.width() - badge) * 0.6f / float(columns.size())));
  Box names = rest.cut_top(std::round(frame.px(line)));
  names.cut_right(badge);
  for (std::size_t n = columns.size(); n-- > 0;)
    draw_text(frame, names.cut_right(value).inset(frame.px(2), 0), columns[n].name, frame.theme.muted,
              frame.fonts.small, Align::right);
  for (const Figure& figure : figures) {
    Box row = rest.cut_top(std::round(frame.px(line)));
    Box right = row.cut_right(badge);
    right.max.x += frame.px(8);  // a badge leaves a gap to what follows
    origin_badge(frame, {right.min, {right.max.x - frame.px(8), right.max.y}}, figure.origin);
    for (std::size_t n = columns.size(); n-- > 0;)
      draw_text(frame, row.cut_right(value).inset(frame.px(2), 0), figure.value(columns[n]),
                frame.theme.strong, frame.fonts.mono_small, Align::right);
    draw_text(frame, row, frame.text(figure.label), frame.theme.text, frame.fonts.small);
  }
}

constexpr float roofline_height = 230;

float height_of(const Frame& frame, std::size_t columns, std::size_t rows, std::size_t groups, float legend) {
  const float tables = 2 * (heading + line) + float(rows * columns) * line + float(groups) * 4;
  return heading - 6 + float(columns) * bar_block + legend / frame.px(1) + tables + heading + line +
         float(std::size(figures)) * line + heading + roofline_height + 5 * gap;
}

}  // namespace

void draw_counters(const Frame& frame, Commands&) {
  const std::vector<Counted> columns = counted(frame);
  const auto levels = traffic_by_level(columns), tensors = traffic_by_tensor(columns);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = std::max(room.x, frame.px(250));
  const float legend = draw_legend(frame, tensors, {{0, 0}, {width, 1e6f}}, false);
  const std::size_t rows = levels.size() + tensors.size();
  Box rest = content_box(frame, 250, height_of(frame, columns.size(), rows, rows, legend));
  draw_bars(frame, columns, rest);
  draw_legend(frame, tensors, rest.cut_top(legend), true);
  rest.cut_top(frame.px(gap));
  section_heading(frame, rest.cut_top(std::round(frame.px(heading))), frame.text(Str::roofline),
                  {Origin::model, Origin::published});
  draw_roofline(frame, rest.cut_top(std::round(frame.px(roofline_height))), roofline_of(frame));
  rest.cut_top(frame.px(gap));
  draw_traffic(frame, columns, tensors, Str::hbm_by_tensor, true, rest);
  rest.cut_top(frame.px(gap));
  draw_traffic(frame, columns, levels, Str::bytes_by_level, false, rest);
  rest.cut_top(frame.px(gap));
  draw_figures(frame, columns, rest);
}

}  // namespace tilewalk::viz
