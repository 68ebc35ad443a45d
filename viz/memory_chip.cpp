// A level on the chip: how full it is, and its tiles in lines.
#include <cmath>

#include "viz/marks.h"
#include "viz/memory_parts.h"
#include "viz/numbers.h"
#include "viz/text.h"
#include "viz/views.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

bool is_column(const Tile& tile) { return tile.cols == Axis::one; }

// Each allocated tile takes its share of the capacity, in its colour.
void draw_fill(const Frame& frame, const RunFrame& run, int level, const Box& bar) {
  const Kernel& kernel = run.plan().kernels[run.moment.location.launch];
  const std::uint64_t capacity = run.plan().config.arch.levels[static_cast<std::size_t>(level)].capacity;
  const std::uint64_t all = capacity ? capacity : std::max<std::uint64_t>(1, kernel.footprint(level));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(bar.min, bar.max, frame.theme.to_come, bar.height() / 2);
  float x = bar.min.x;
  for (std::size_t n = 0; n < kernel.tiles.size(); ++n) {
    const Tile& tile = kernel.tiles[n];
    if (tile.level != level || n >= run.moment.state.tiles.size() || !run.moment.state.tiles[n].allocated)
      continue;
    const float width = bar.width() * float(double(tile.bytes()) / double(all));
    const float right = std::min(bar.max.x, x + width);
    list->AddRectFilled({x, bar.min.y}, {right, bar.max.y}, tensor_colour(frame.theme, tile.name));
    x = right;
  }
}

// How full, as far as there is room to say it.
void draw_header(const Frame& frame, const RunFrame& run, int level, Box box) {
  const auto at = static_cast<std::size_t>(level);
  const std::string title = level_title(run.plan(), level);
  const float wanted = std::ceil(text_width(title, frame.fonts.small)) + frame.px(8);
  draw_text(frame, box.cut_left(wanted), title, frame.theme.strong, frame.fonts.small);
  const std::uint64_t used = run.moment.state.used[at], capacity = run.plan().config.arch.levels[at].capacity;
  const std::string alone = amount(used), whole = capacity
                                                      ? frame.filled(Str::part_of, alone, amount(capacity))
                                                      : frame.filled(Str::no_limit, alone);
  const std::string_view words = first_that_fits({whole, alone, ""}, box.width(), frame.fonts.mono_small);
  draw_text(frame, box, words, frame.theme.text, frame.fonts.mono_small, Align::right);
}

float weight(const Tile& tile) { return is_column(tile) ? 0.55f : 1.0f; }

// Tiles in lines; how wide one of weight 1 is.
struct Lines {
  std::vector<std::vector<std::size_t>> lines;
  float unit, height, gap;
};

// In as few lines as leave each tile room for its letter.
Lines lines_of(const Frame& frame, const Kernel& kernel, const std::vector<std::size_t>& tiles,
               const Box& box) {
  Lines result{{}, frame.px(96), 0, std::round(frame.px(box.width() > frame.px(150) ? 6 : 3))};
  float all = 0;
  for (const std::size_t n : tiles) all += weight(kernel.tiles[n]);
  const float unit = (box.width() - result.gap * float(tiles.size() - 1)) / all;
  int count = 1;
  while (count < 3 && unit * float(count) < frame.px(36) &&
         box.height() >= (frame.px(22) + result.gap) * float(count + 1))
    ++count;
  result.height =
      std::min(frame.px(92), std::floor((box.height() - result.gap * float(count - 1)) / float(count)));
  float sum = all;  // of the current line
  for (const std::size_t n : tiles) {
    const float w = weight(kernel.tiles[n]);
    if (result.lines.empty() || (sum + w / 2 > all / float(count) && int(result.lines.size()) < count)) {
      result.lines.emplace_back();
      sum = 0;
    }
    result.lines.back().push_back(n);
    sum += w;
  }
  for (const auto& line : result.lines) {
    float weights = 0;
    for (const std::size_t n : line) weights += weight(kernel.tiles[n]);
    result.unit = std::min(result.unit, (box.width() - result.gap * float(line.size() - 1)) / weights);
  }
  return result;
}

void draw_tiles(const Frame& frame, const RunFrame& run, int level, Box box, MemoryPlaces& places) {
  const Kernel& kernel = run.plan().kernels[run.moment.location.launch];
  std::vector<std::size_t> tiles;
  for (std::size_t n = 0; n < kernel.tiles.size(); ++n) {
    if (kernel.tiles[n].level == level) tiles.push_back(n);
  }
  if (tiles.empty())
    return void(draw_text(frame, box, frame.text(Str::level_unused), frame.theme.muted, frame.fonts.small,
                          Align::centre));
  const Lines lines = lines_of(frame, kernel, tiles, box);
  for (const auto& line : lines.lines) {
    Box row = box.cut_top(lines.height);
    box.cut_top(lines.gap);
    for (const std::size_t n : line) {
      places.tiles[n] = row.cut_left(std::floor(lines.unit * weight(kernel.tiles[n])));
      row.cut_left(lines.gap);
      draw_tile(frame, run, n, places.tiles[n]);
    }
  }
}

}  // namespace

void draw_chip_level(const Frame& frame, const RunFrame& run, int level, const Box& box,
                     MemoryPlaces& places) {
  Box inside = draw_level_frame(frame, box);
  draw_header(frame, run, level, inside.cut_top(std::round(frame.px(17))));
  draw_fill(frame, run, level, inside.cut_top(std::round(frame.px(5))));
  inside.cut_top(std::round(frame.px(5)));
  // Above the tiles, so that arrows from below cross no text.
  const Counts counts = run.moment.state.total();
  const std::string moved = frame.filled(Str::level_traffic, grouped(counts.total(level, false)),
                                         grouped(counts.total(level, true)));
  const float line = std::round(frame.px(16));
  const bool said = !asks(frame) && inside.height() >= frame.px(44) + line && counts.total(level) > 0 &&
                    text_width(moved, frame.fonts.small) <= inside.width();
  if (said) {
    draw_text(frame, inside.cut_top(line), moved, frame.theme.muted, frame.fonts.small);
    inside.cut_top(frame.px(3));
  }
  draw_tiles(frame, run, level, inside, places);
}

}  // namespace tilewalk::viz
