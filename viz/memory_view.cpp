// The memory hierarchy: HBM with its tensors, the way to the chip, and the tiles in SRAM and registers of the
// CTA at work.
#include <cmath>

#include "viz/marks.h"
#include "viz/memory_parts.h"
#include "viz/text.h"
#include "viz/views.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

constexpr float least_width = 190, least_height = 201;

// How much room the tiles of a level ask for: a matrix 1, a column less.
float weight_of(const Kernel& kernel, int level) {
  float weight = 0;
  for (const Tile& tile : kernel.tiles) {
    if (tile.level == level) weight += tile.cols == Axis::one ? 0.55f : 1.0f;
  }
  return weight;
}

void draw_run(const Frame& frame, const RunFrame& run, Box box) {
  const Plan& plan = run.plan();
  if (frame.runs.size() > 1) {
    const Kernel& kernel = plan.kernels[run.moment.location.launch];
    std::string title(plan.algorithm().name);
    if (kernel.row->name != title) title += " · " + std::string(kernel.row->name);
    draw_text(frame, box.cut_top(std::round(frame.px(18))), title, frame.theme.strong, frame.fonts.small);
    box.cut_top(frame.px(2));
  }
  const MemoryAreas areas = memory_areas(frame, run, box);
  MemoryPlaces places;
  places.tiles.resize(plan.kernels[run.moment.location.launch].tiles.size());
  places.tensors.resize(plan.tensors.size());
  draw_chip_level(frame, run, plan.config.arch.level("sram"), areas.sram, places);
  if (!areas.reg.empty()) draw_chip_level(frame, run, plan.config.arch.level("reg"), areas.reg, places);
  draw_hbm(frame, run, areas.hbm, places);
  draw_way(frame, run, places);
  draw_link(frame, run, areas.link);
  draw_transfer(frame, run, areas, places);
}

}  // namespace

MemoryAreas memory_areas(const Frame& frame, const RunFrame& run, Box box) {
  const Plan& plan = run.plan();
  const Kernel& kernel = plan.kernels[run.moment.location.launch];
  const float spare = std::max(0.0f, box.height() - frame.px(least_height));
  const float lane = std::round(frame.px(20) + std::min(spare / 6, frame.px(10))),
              link = std::round(frame.px(20) + std::min(spare / 20, frame.px(4)));
  MemoryAreas areas;
  Box chip = box.cut_top(std::floor((box.height() - 2 * lane - link) * 0.52f));
  areas.upper = box.cut_top(lane);
  areas.link = box.cut_top(link);
  areas.lower = box.cut_top(lane);
  areas.hbm = box;
  const float sram = weight_of(kernel, plan.config.arch.level("sram")),
              reg = weight_of(kernel, plan.config.arch.level("reg"));
  const float gap = std::round(frame.px(chip.width() > frame.px(300) ? 10 : 6));
  float share = (reg + 0.5f) / (sram + reg + 1);
  if (reg == 0) share = std::min(0.16f, frame.px(96) / chip.width());
  if (reg > 0 || chip.width() >= frame.px(400)) {
    areas.reg = chip.cut_right(std::floor((chip.width() - gap) * share));
    chip.cut_right(gap);
  }
  areas.sram = chip;
  return areas;
}

Box draw_level_frame(const Frame& frame, const Box& box) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.min, box.max, frame.theme.inset, frame.px(7));
  list->AddRect(box.min, box.max, frame.theme.line, frame.px(7));
  const float side = std::round(frame.px(box.width() > frame.px(180) ? 10 : 6));
  return box.inset(side, std::round(frame.px(5)));
}

std::string level_title(const Plan& plan, int level) {
  std::string name = plan.config.arch.levels[static_cast<std::size_t>(level)].name;
  for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

std::string about_memory(const Frame& frame) {
  if (frame.runs.empty()) return "";
  const RunFrame& run = frame.runs.front();
  const Problem& p = run.plan().problem();
  std::string text = run.plan().config.arch.title;
  if (p.instances() > 1)
    text = frame.filled(Str::head_of, run.moment.instance + 1, p.instances()) + " · " + text;
  return text;
}

// Runs stand side by side where there is room, else below one another.
void draw_memory(const Frame& frame, Commands&) {
  const auto count = float(frame.runs.size());
  const float gap = std::round(frame.px(14));
  const float title = frame.runs.size() > 1 ? 20 : 0, height = least_height + title;
  const bool beside = ImGui::GetContentRegionAvail().x >= (frame.px(least_width) + gap) * count - gap;
  Box box = content_box(frame, least_width, beside ? height : (height + 14) * count - 14);
  const float width = std::floor((box.width() - gap * (count - 1)) / count),
              each = std::floor((box.height() - gap * (count - 1)) / count);
  for (const RunFrame& run : frame.runs) {
    draw_run(frame, run, beside ? box.cut_left(width) : box.cut_top(each));
    beside ? box.cut_left(gap) : box.cut_top(gap);
  }
}

}  // namespace tilewalk::viz
