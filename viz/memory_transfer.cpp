// The way between the chip and HBM: what has passed over it so far, and the tile that is on it.
#include <cmath>

#include "viz/marks.h"
#include "viz/memory_parts.h"
#include "viz/numbers.h"
#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/views.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

bool moves(const Event& e) { return e.op == Op::load || e.op == Op::store; }

struct Traffic {
  std::uint64_t loaded = 0, stored = 0;
};

// Bytes between HBM and one level on the chip: in each kernel a tensor has its tile at one level.
Traffic traffic_of(const RunFrame& run, int level) {
  const Plan& plan = run.plan();
  const auto hbm = static_cast<std::size_t>(plan.config.arch.level("hbm"));
  Traffic traffic;
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    for (std::size_t t = 0; t < plan.tensors.size(); ++t) {
      const auto here = [&](const Tile& tile) { return tile.tensor == int(t) && tile.level == level; };
      if (std::none_of(plan.kernels[k].tiles.begin(), plan.kernels[k].tiles.end(), here)) continue;
      traffic.loaded += run.moment.state.counts[k].bytes[hbm][0][t];
      traffic.stored += run.moment.state.counts[k].bytes[hbm][1][t];
    }
  }
  return traffic;
}

// The level between, if the machine has one.
int level_between(const Plan& plan) {
  const auto& via =
      plan.via[std::size_t(plan.config.arch.level("hbm"))][std::size_t(plan.config.arch.level("sram"))];
  return via.empty() ? -1 : via.front();
}

std::string bytes_of(const RunFrame& run, const Event& e) {
  const auto bytes = static_cast<std::uint64_t>(e.rows) * static_cast<std::uint64_t>(e.cols) *
                     size_of(run.plan().tensors[e.tensor].type);
  return grouped(bytes) + "\u00A0B";
}

std::string what_moves(const Frame& frame, const RunFrame& run, const Event& e) {
  const Tensor& tensor = run.plan().tensors[e.tensor];
  std::string name = letter_of(tensor.name);
  for (const Axis axis : {tensor.rows, tensor.cols}) {
    if (axis == Axis::q && e.row >= 0) name += fmt::format("\u00A0{}", e.row);
    if (axis == Axis::kv && e.col >= 0) name += fmt::format("\u00A0{}", e.col);
  }
  std::string words = frame.filled(e.op == Op::load ? Str::load_short : Str::store_short, name, e.rows,
                                   e.cols, name_of(tensor.type));
  if (!tensor.counted) words += " · " + std::string(frame.text(Str::not_counted));
  return words;
}

void draw_words(const Frame& frame, const Box& lane, const Box& pill, std::string_view words, Colour colour) {
  const float width = std::ceil(text_width(words, frame.fonts.small)), gap = frame.px(7);
  if (pill.max.x + gap + width <= lane.max.x) {
    draw_text(frame, {{pill.max.x + gap, pill.min.y}, {lane.max.x, pill.max.y}}, words, colour,
              frame.fonts.small);
  } else if (pill.min.x - gap - width >= lane.min.x) {
    draw_text(frame, {{pill.min.x - gap - width, pill.min.y}, {pill.min.x - gap, pill.max.y}}, words, colour,
              frame.fonts.small, Align::right);
  }
}

// Of the current load or store: at the block in HBM, and at the tile.
struct Ends {
  ImVec2 low, high;
  bool loads;
};

std::optional<Ends> ends_of(const RunFrame& run, const MemoryPlaces& places) {
  const auto& e = run.moment.done;
  if (!e || !moves(*e)) return std::nullopt;
  const Box &tile = places.tiles[e->operand[0]], &block = places.tensors[e->tensor];
  if (tile.empty() || block.empty()) return std::nullopt;
  return Ends{{block.centre().x, block.min.y}, {tile.centre().x, tile.max.y}, e->op == Op::load};
}

}  // namespace

void draw_link(const Frame& frame, const RunFrame& run, const Box& box) {
  const Plan& plan = run.plan();
  const Arch& arch = plan.config.arch;
  const Traffic sram = traffic_of(run, arch.level("sram")), reg = traffic_of(run, arch.level("reg"));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.min, box.max, frame.theme.inset, frame.px(5));
  list->AddRect(box.min, box.max, frame.theme.line, frame.px(5));
  Box inside = box.inset(std::round(frame.px(box.width() > frame.px(300) ? 10 : 6)), 0);
  const int between = level_between(plan);
  const double speed = between < 0 ? arch.bandwidth("hbm", "sram")
                                   : arch.bandwidth("hbm", arch.levels[std::size_t(between)].name);
  const std::string name = between < 0 ? std::string(frame.text(Str::link)) : level_title(plan, between);
  std::string about = name;
  if (between >= 0) about += " · " + amount(arch.levels[std::size_t(between)].capacity);
  const std::string with_rate = speed > 0 ? about + " · " + rate(speed) : about;
  const std::string up = grouped(sram.loaded + reg.loaded), down = grouped(sram.stored + reg.stored);
  const std::string whole = frame.filled(Str::link_traffic, up, down),
                    brief = fmt::format("↑\u00A0{}  ↓\u00A0{}", up, down);
  if (inside.width() >= frame.px(420)) inside = origin_badge(frame, inside, Origin::model);
  const ImFont* font = frame.fonts.mono_small;
  const std::string_view moved = first_that_fits(
      {whole, brief}, inside.width() - text_width(name, frame.fonts.small) - frame.px(12), font);
  const float wanted = std::ceil(text_width(moved, font)) + 1;
  draw_text(frame, inside.cut_right(wanted), asks(frame) ? "" : moved, frame.theme.strong, font,
            Align::right);
  inside.cut_right(frame.px(8));
  const std::string_view left =
      first_that_fits({with_rate, about, name, ""}, inside.width(), frame.fonts.small);
  draw_text(frame, inside, left, frame.theme.muted, frame.fonts.small);
  if (hovered(box))
    tooltip(frame, frame.filled(Str::link_hint, grouped(sram.loaded), grouped(sram.stored),
                                grouped(reg.loaded), grouped(reg.stored)) +
                       (between >= 0 ? "\n" + std::string(frame.text(Str::l2_hint)) : ""));
}

void draw_way(const Frame& frame, const RunFrame& run, const MemoryPlaces& places) {
  if (const auto ends = ends_of(run, places)) {
    const Colour colour = tensor_colour(frame.theme, run.plan().tensors[run.moment.done->tensor].name);
    draw_arrow(ends->loads ? upright_curve(ends->low, ends->high) : upright_curve(ends->high, ends->low),
               colour, std::max(1.5f, frame.px(2)));
  }
}

void draw_transfer(const Frame& frame, const RunFrame& run, const MemoryAreas& areas,
                   const MemoryPlaces& places) {
  if (!run.moment.done) return;
  const Event& e = *run.moment.done;
  if (!moves(e)) {
    const std::string words = event_words(e, run.plan(), frame.settings.language);
    draw_text(frame, areas.upper.inset(frame.px(4), 0), words, frame.theme.text, frame.fonts.small);
    return;
  }
  const auto ends = ends_of(run, places);
  if (!ends) return;
  const Colour colour = tensor_colour(frame.theme, run.plan().tensors[e.tensor].name);
  // It leaves from the lane beside its source, and rests in the one ahead of its goal.
  const ImVec2 low{ends->low.x, areas.lower.centre().y}, high{ends->high.x, areas.upper.centre().y};
  const Curve way = ends->loads ? upright_curve(low, high) : upright_curve(high, low);
  const Box lane = ends->loads ? areas.upper : areas.lower;
  const bool arrived = frame.flight >= 1;
  const Box within{{areas.link.min.x, areas.upper.min.y}, {areas.link.max.x, areas.lower.max.y}};
  const Box pill = draw_pill(frame, way.at(arrived ? 1 : frame.flight), within, bytes_of(run, e), colour);
  if (arrived) draw_words(frame, lane, pill, what_moves(frame, run, e), colour);
}

}  // namespace tilewalk::viz
