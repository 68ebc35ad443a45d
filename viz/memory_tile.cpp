// A tile on the chip: its letter, what it holds, and how much of it is written.
#include <cmath>

#include "viz/marks.h"
#include "viz/memory_parts.h"
#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/tile_values.h"
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

}  // namespace

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
  Box text = box.inset(std::round(frame.px(box.width() > frame.px(40) ? 6 : 1)), std::round(frame.px(2)));
  const std::string letter = letter_of(tile.name), holds = contents_of(run, static_cast<TileHandle>(n));
  const Colour colour = state.allocated ? frame.theme.strong : frame.theme.muted;
  const float line = std::ceil(line_height(font)), below = std::ceil(line_height(frame.fonts.small));
  const bool two = state.allocated && !holds.empty() && text.height() >= line + below &&
                   text_width(holds, frame.fonts.small) <= text.width();
  const Align align = is_column(tile) || text.width() < frame.px(24) ? Align::centre : Align::left;
  const std::string_view shown = first_that_fits({letter, brief_letter(tile.name), ""}, text.width(), font);
  draw_text(frame, two ? text.cut_top(line) : text, shown, colour, font, two ? Align::left : align);
  const float spare = text.width() - text_width(letter, font) - frame.px(6);
  if (!two && state.allocated && !holds.empty() && text_width(holds, frame.fonts.small) <= spare)
    draw_text(frame, text, holds, frame.theme.strong, frame.fonts.small, Align::right);
  if (two) draw_text(frame, text.cut_bottom(below), holds, frame.theme.strong, frame.fonts.small);
  if (hovered(box) && n < run.moment.state.tiles.size()) tooltip(frame, tile_hint(frame, run, n));
}

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
  const bool weights = run.plan().algorithm().softmax && score_stage(run) == ScoreStage::weights;
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

}  // namespace tilewalk::viz
