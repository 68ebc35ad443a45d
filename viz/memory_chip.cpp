// A level on the chip: how full it is, and its tiles with what they hold.
#include <cmath>

#include "viz/marks.h"
#include "viz/memory_parts.h"
#include "viz/numbers.h"
#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

bool is_scores(const Tile& tile) { return tile.rows == Axis::q && tile.cols == Axis::kv; }
bool is_column(const Tile& tile) { return tile.cols == Axis::one; }

struct Operands {
  std::uint64_t read = 0, written = 0;  // sets of tiles, bit n for tile n
};

Operands operands_of(const std::optional<Event>& e) {
  Operands operands;
  if (!e) return operands;
  const Uses uses = uses_of(e->op);
  for (int n = 0; n < uses.count; ++n) {
    if (e->operand[n] == no_tile) continue;
    const Use use = use_of(*e, uses, n);
    (use.writes ? operands.written : operands.read) |= std::uint64_t{1} << e->operand[n];
  }
  return operands;
}

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

std::string tile_hint(const Frame& frame, const RunFrame& run, std::size_t n) {
  const Tile& tile = run.plan().kernels[run.moment.location.launch].tiles[n];
  const TileState& state = run.moment.state.tiles[n];
  std::string text =
      frame.filled(Str::tile_is, letter_of(tile.name), tile.most_rows, tile.most_cols, name_of(tile.type),
                   grouped(tile.bytes()), level_title(run.plan(), tile.level));
  const std::string holds = contents_of(run, static_cast<TileHandle>(n));
  if (!state.allocated) return text + "\n" + std::string(frame.text(Str::tile_free));
  if (!state.written) return text + "\n" + std::string(frame.text(Str::tile_unwritten));
  if (!holds.empty()) text += "\n" + frame.filled(Str::tile_holds, holds, state.rows, state.cols);
  if (state.rows < tile.most_rows || state.cols < tile.most_cols)
    text += "\n" + std::string(frame.text(Str::tile_edge));
  return text;
}

// The part of a tile that holds something; the rest is hatched: it was never written, or is left over from
// another tile.
void draw_face(const Frame& frame, const Tile& tile, const TileState& state, const Box& box, bool arriving) {
  const Colour colour = tensor_colour(frame.theme, tile.name);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float rounding = frame.px(4), dash = frame.px(4);
  if (!state.allocated) return dashed_frame(box, mixed(frame.theme.inset, colour, 0.45f), dash);
  list->AddRectFilled(box.min, box.max, mixed(frame.theme.inset, colour, 0.12f), rounding);
  const bool whole =
      state.written && !arriving && state.rows == tile.most_rows && state.cols == tile.most_cols;
  if (!whole) hatch(box, mixed(frame.theme.inset, colour, 0.6f), std::max(4.0f, frame.px(6)));
  if (state.written && !arriving) {
    const Box held{
        box.min,
        {box.min.x + box.width() * float(state.cols) / float(std::max<std::int64_t>(1, tile.most_cols)),
         box.min.y + box.height() * float(state.rows) / float(std::max<std::int64_t>(1, tile.most_rows))}};
    list->AddRectFilled(held.min, held.max, mixed(frame.theme.inset, colour, 0.5f), rounding);
  }
  list->AddRect(box.min, box.max, colour, rounding);
}

// Where "m⁽ᵗ⁾" is too wide.
std::string_view brief_letter(std::string_view tile) {
  return tile == "m_tile" ? "mᵗ" : tile == "l_tile" ? "ℓᵗ" : tile == "lse" ? "L" : "";
}

void draw_tile(const Frame& frame, const RunFrame& run, std::size_t n, const Box& box) {
  const Tile& tile = run.plan().kernels[run.moment.location.launch].tiles[n];
  const TileState state = n < run.moment.state.tiles.size() ? run.moment.state.tiles[n] : TileState();
  const Operands operands = operands_of(run.moment.done);
  const bool reads = operands.read >> n & 1, writes = operands.written >> n & 1;
  const bool arriving = writes && run.moment.done->op == Op::load && frame.flight < 1;
  draw_face(frame, tile, state, box, arriving);
  if (reads || writes)
    ImGui::GetWindowDrawList()->AddRect(box.min, box.max, frame.theme.strong, frame.px(4), 0,
                                        std::max(1.0f, frame.px(writes ? 2.0f : 1.0f)));
  const ImFont* font = is_column(tile) || box.width() < frame.px(30) ? frame.fonts.small : frame.fonts.body;
  Box text = box.inset(std::round(frame.px(box.width() > frame.px(40) ? 6 : 2)), std::round(frame.px(2)));
  const std::string letter = letter_of(tile.name), holds = contents_of(run, static_cast<TileHandle>(n));
  const Colour colour = state.allocated ? frame.theme.strong : frame.theme.muted;
  const float line = std::ceil(line_height(font)), below = std::ceil(line_height(frame.fonts.small));
  const bool two = state.allocated && !holds.empty() && text.height() >= line + below &&
                   text_width(holds, frame.fonts.small) <= text.width();
  const Align align = is_column(tile) || text.width() < frame.px(24) ? Align::centre : Align::left;
  const std::string_view shown = first_that_fits({letter, brief_letter(tile.name), ""}, text.width(), font);
  draw_text(frame, two ? text.cut_top(line) : text, shown, colour, font, two ? Align::left : align);
  if (two) draw_text(frame, text.cut_bottom(below), holds, frame.theme.strong, frame.fonts.small);
  if (hovered(box) && n < run.moment.state.tiles.size()) tooltip(frame, tile_hint(frame, run, n));
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
  Lines result{{}, frame.px(78), 0, std::round(frame.px(box.width() > frame.px(150) ? 6 : 3))};
  float all = 0;
  for (const std::size_t n : tiles) all += weight(kernel.tiles[n]);
  const float unit = (box.width() - result.gap * float(tiles.size() - 1)) / all;
  int count = 1;
  while (count < 3 && unit * float(count) < frame.px(36) &&
         box.height() >= (frame.px(22) + result.gap) * float(count + 1))
    ++count;
  result.height =
      std::min(frame.px(62), std::floor((box.height() - result.gap * float(count - 1)) / float(count)));
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

Rect held_by(const RunFrame& run, TileHandle handle) {
  const Kernel& kernel = run.plan().kernels[run.moment.location.launch];
  const Tile& tile = kernel.tiles[handle];
  const TileState& state = run.moment.state.tiles[handle];
  const auto start = [&](Axis axis) {
    const std::int64_t block = axis == Axis::q ? state.row : axis == Axis::kv ? state.col : 0;
    return kernel.start(axis, std::max<std::int64_t>(0, block));
  };
  return {start(tile.rows), start(tile.cols), state.rows, state.cols};
}

std::string_view scores_letter(const RunFrame& run, TileHandle handle) {
  const Tile& tile = run.plan().kernels[run.moment.location.launch].tiles[handle];
  if (!is_scores(tile)) return tile.name;
  if (tile.name == "p") return "P";
  const Event* e = last_write(run.moment, handle);
  const bool weights =
      e && (e->op == Op::softmax || e->op == Op::online_softmax || e->op == Op::block_softmax);
  return weights ? "P" : "S";
}

std::string contents_of(const RunFrame& run, TileHandle handle) {
  const Tile& tile = run.plan().kernels[run.moment.location.launch].tiles[handle];
  if (handle >= run.moment.state.tiles.size() || is_column(tile)) return "";
  const TileState& state = run.moment.state.tiles[handle];
  if (!state.written) return "";
  const std::string name = is_scores(tile) ? std::string(scores_letter(run, handle))
                                           : std::string(run.plan().tensors[std::size_t(tile.tensor)].name);
  if (is_scores(tile)) return fmt::format("{}\u00A0{},\u00A0{}", name, state.row, state.col);
  return fmt::format("{}\u00A0{}", name, tile.rows == Axis::q ? state.row : state.col);
}

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
  const bool said = inside.height() >= frame.px(44) + line && counts.total(level) > 0 &&
                    text_width(moved, frame.fonts.small) <= inside.width();
  if (said) {
    draw_text(frame, inside.cut_top(line), moved, frame.theme.muted, frame.fonts.small);
    inside.cut_top(frame.px(3));
  }
  draw_tiles(frame, run, level, inside, places);
}

}  // namespace tilewalk::viz
