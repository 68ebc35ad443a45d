// Model and GPU side by side: what the kernel's m, l and O after each tile differ by, in times what is
// allowed; whether its bytes are the model's; and where they first part.
#include <cmath>

#include "viz/gpu_job.h"
#include "viz/section.h"
#include "viz/views.h"

namespace tilewalk::viz {
namespace {

constexpr float line = 22, button_line = 32, map_side = 136, gap = 10;

// Worst ratios of one watched tile, as a grid of at most this many cells a side.
struct RatioMap {
  std::string tile;
  std::int64_t rows, cols, group;
  std::vector<float> cells;  // below 0: never visited
  double worst = 0;
};

constexpr std::int64_t most_cells = 64;

RatioMap map_of(const RunFrame& run, const GpuCheck& check, std::size_t launch, const std::string& tile) {
  const Kernel& kernel = run.plan().kernels[launch];
  RatioMap map{tile, kernel.q_blocks, kernel.kv_blocks, 1, {}};
  map.group = (std::max(map.rows, map.cols) + most_cells - 1) / most_cells;
  map.rows = (map.rows + map.group - 1) / map.group;
  map.cols = (map.cols + map.group - 1) / map.group;
  map.cells.assign(static_cast<std::size_t>(map.rows * map.cols), -1.0f);
  for (const TileDiff& t : check.divergence.diff.tiles) {
    const auto found = t.worst.find(tile);
    if (t.launch != launch || t.cta / kernel.blocks != run.moment.instance || found == t.worst.end())
      continue;
    if (t.row < 0 || t.col < 0) continue;
    float& cell = map.cells[static_cast<std::size_t>(t.row / map.group * map.cols + t.col / map.group)];
    cell = std::max(cell, float(found->second));
    map.worst = std::max(map.worst, found->second);
  }
  return map;
}

// Kernels that keep something after each tile: the current one, or the last.
std::size_t launch_with_tiles(const RunFrame& run, const GpuCheck& check) {
  std::size_t last = run.moment.location.launch;
  for (const TileDiff& t : check.divergence.diff.tiles) {
    if (t.launch == run.moment.location.launch) return t.launch;
    last = t.launch;
  }
  return last;
}

std::vector<RatioMap> maps_of(const RunFrame& run, const GpuCheck& check) {
  std::vector<RatioMap> maps;
  const std::size_t launch = launch_with_tiles(run, check);
  for (const Tile& tile : run.plan().kernels[launch].tiles) {
    if (tile.watched) maps.push_back(map_of(run, check, launch, std::string(tile.name)));
  }
  return maps;
}

// From 1e-4 of what is allowed to all of it, logarithmically; beyond it, the colour of what is wrong.
Colour ratio_colour(const Theme& theme, float ratio) {
  if (ratio < 0) return theme.masked;
  if (ratio > 1) return theme.bad;
  const float part = ratio <= 0 ? 0 : std::clamp((std::log10(ratio) + 4) / 4, 0.0f, 1.0f);
  return mixed(theme.to_come, theme.good, 0.2f + 0.7f * part);
}

std::string ratio_text(double ratio) {
  if (ratio == 0) return "0";
  return std::isfinite(ratio) ? fmt::format("{:.2g}", ratio) : "∞";
}

std::string shown_name(const std::string& tile) {
  if (tile == "l") return "ℓ";
  return tile == "o" ? "O" : tile == "s" ? "S, P" : tile;
}

// Clicks go to the tile.
void draw_map(const Frame& frame, const RatioMap& map, Box box, int id, Commands& commands) {
  const std::string title = frame.filled(Str::delta_of, shown_name(map.tile), ratio_text(map.worst));
  draw_text(frame, box.cut_top(std::round(frame.px(line))), title, tensor_colour(frame.theme, map.tile),
            frame.fonts.small);
  const float cell = std::min(box.width() / float(map.cols), box.height() / float(map.rows));
  const float space = cell >= 5 ? 1.0f : 0.0f;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto box_of = [&](std::int64_t r, std::int64_t c) {
    const float x = box.min.x + float(c) * cell, y = box.min.y + float(r) * cell;
    return Box{{x, y}, {x + cell - space, y + cell - space}};
  };
  for (std::int64_t r = 0; r < map.rows; ++r) {
    for (std::int64_t c = 0; c < map.cols; ++c) {
      const float ratio = map.cells[static_cast<std::size_t>(r * map.cols + c)];
      const Box b = box_of(r, c);
      list->AddRectFilled(b.min, b.max, ratio_colour(frame.theme, ratio));
      if (ratio <= 1 || cell < 6) continue;
      list->AddLine(b.min, b.max, frame.theme.panel);
      list->AddLine({b.min.x, b.max.y}, {b.max.x, b.min.y}, frame.theme.panel);
    }
  }
  const Box all{box.min, {box.min.x + cell * float(map.cols), box.min.y + cell * float(map.rows)}};
  ImGui::PushID(id);
  const bool pressed = clicked("map", all);
  ImGui::PopID();
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto r = std::clamp<std::int64_t>(std::int64_t((mouse.y - box.min.y) / cell), 0, map.rows - 1);
  const auto c = std::clamp<std::int64_t>(std::int64_t((mouse.x - box.min.x) / cell), 0, map.cols - 1);
  const float ratio = map.cells[static_cast<std::size_t>(r * map.cols + c)];
  const std::string place = frame.filled(Str::tile_at, r * map.group, c * map.group);
  tooltip(frame,
          ratio < 0 ? place : place + "\n" + frame.filled(Str::times_allowed, ratio_text(double(ratio))));
  if (pressed) commands.push_back(SeekTile{r * map.group, c * map.group});
}

void draw_verdict(const Frame& frame, const GpuCheck& check, Box& rest, Commands& commands) {
  const bool agrees = check.agrees();
  section_heading(frame, rest.cut_top(std::round(frame.px(line + 4))),
                  check.kernel + (check.fault.empty() ? "" : " (" + check.fault + ")"),
                  {Origin::measured, Origin::model}, true);
  draw_text(frame, rest.cut_top(std::round(frame.px(line))), check.origin, frame.theme.muted,
            frame.fonts.small);
  Box row = rest.cut_top(std::round(frame.px(button_line)));
  if (!agrees && check.divergence.first) {
    const auto label = frame.text(Str::first_difference);
    if (text_button(frame, row.cut_right(button_width(frame, label)), "first", label))
      commands.push_back(Seek{*check.divergence.first, 0});
    row.cut_right(frame.px(8));
  }
  const auto tiles = grouped(check.divergence.diff.tiles.size());
  draw_text(frame, row,
            agrees ? frame.filled(Str::gpu_agrees, tiles) : std::string(frame.text(Str::gpu_differs)),
            agrees ? frame.theme.good : frame.theme.bad, frame.fonts.body);
}

float words_height(const Frame& frame, const GpuCheck& check, float width) {
  const std::string& words = check.divergence.words;
  if (words.empty()) return 0;
  return float(wrapped(words, width, frame.fonts.small).size()) *
             std::round(line_height(frame.fonts.small) * 1.4f) +
         frame.px(8);
}

void draw_bytes(const Frame& frame, const GpuCheck& check, Box& rest) {
  section_heading(frame, rest.cut_top(std::round(frame.px(line + 8))),
                  frame.text(check.bytes_equal() ? Str::bytes_equal : Str::bytes_differ), {});
  const ImFont* font = frame.fonts.mono_small;
  const auto columns = [&](Box row, std::string_view name, Colour colour, std::string_view what,
                           std::string_view model, std::string_view kernel, Colour tone) {
    const float number = std::floor(row.width() * 0.3f);
    draw_text(frame, row.cut_left(std::floor(row.width() * 0.12f)), name, colour, font);
    draw_text(frame, row.cut_right(number), kernel, tone, font, Align::right);
    row.cut_right(frame.px(8));
    draw_text(frame, row.cut_right(number), model, tone, font, Align::right);
    draw_text(frame, row, what, frame.theme.muted, frame.fonts.small);
  };
  columns(rest.cut_top(std::round(frame.px(line))), "", frame.theme.muted, "", frame.text(Str::origin_model),
          frame.text(Str::origin_measured), frame.theme.muted);
  for (const TensorBytes& b : check.bytes) {
    const Colour tone = b.model == b.kernel ? frame.theme.text : frame.theme.bad;
    const Box row = rest.cut_top(std::round(frame.px(line)));
    const float number = row.width() * 0.3f;
    columns(row, b.tensor, tensor_colour(frame.theme, b.tensor),
            frame.text(b.write ? Str::written : Str::read), bytes_text(b.model, number, font),
            bytes_text(b.kernel, number, font), tone);
  }
}

// Buttons in lines, as many as it takes; returns the height.
float draw_buttons(const Frame& frame, Box box, const std::vector<std::string>& labels, bool really,
                   const std::function<void(const std::string&)>& take) {
  const float high = std::round(frame.px(28)), step = high + std::round(frame.px(6));
  Box row = box.cut_top(high);
  float used = step;
  for (const std::string& label : labels) {
    const float width = std::min(button_width(frame, label), box.width());
    if (width > row.width() && row.min.x > box.min.x) {
      box.cut_top(step - high);
      row = box.cut_top(high);
      used += step;
    }
    const Box place = row.cut_left(width);
    row.cut_left(frame.px(6));
    if (really && text_button(frame, place, label.c_str(), label)) take(label);
  }
  return labels.empty() ? 0 : used;
}

std::vector<std::string> kernels_of(std::string_view algorithm) {
  std::vector<std::string> names;
  for (const GpuKernel& kernel : gpu_kernels()) {
    if (kernel.algorithm == algorithm) names.push_back(kernel.name);
  }
  return names;
}

// Those of the run's algorithm first.
std::vector<std::string> recordings_for(std::string_view algorithm) {
  std::vector<std::string> names = recorded_runs();
  const auto own = kernels_of(algorithm);
  std::stable_partition(names.begin(), names.end(), [&](const std::string& name) {
    return std::any_of(own.begin(), own.end(), [&](const auto& kernel) { return name.starts_with(kernel); });
  });
  return names;
}

struct Parts {
  float words = 0, check = 0, now = 0, recorded = 0, error = 0;
};

}  // namespace

const GpuCheck* gpu_check_of(const Frame& frame) {
  if (frame.runs.empty() || !frame.gpu || !frame.gpu->check) return nullptr;
  return frame.gpu->check->is_of(frame.runs.front().facts) ? frame.gpu->check.get() : nullptr;
}

void draw_gpu(const Frame& frame, Commands& commands) {
  const RunFrame& run = frame.runs.front();
  const auto algorithm = run.plan().algorithm().name;
  const GpuCheck* check = gpu_check_of(frame);
  const auto kernels = kernels_of(algorithm), recordings = recordings_for(algorithm);
  const float width = std::max(ImGui::GetContentRegionAvail().x, frame.px(250)), far = 1e6f;
  const auto nothing = [](const std::string&) {};
  const auto paragraph_height = [&](std::string_view words) {
    return float(wrapped(words, width, frame.fonts.small).size()) *
               std::round(line_height(frame.fonts.small) * 1.4f) +
           frame.px(8);
  };
  Parts parts;
  const bool may_run = gpu_device().present && !kernels.empty();
  const std::string why = kernels.empty() ? frame.filled(Str::source_no_kernel, algorithm)
                          : in_page       ? std::string(frame.text(Str::no_gpu_in_page))
                                          : gpu_device().words;
  const std::string error = frame.gpu ? frame.gpu->error : "";
  parts.now =
      may_run ? draw_buttons(frame, {{0, 0}, {width, far}}, kernels, false, nothing) : paragraph_height(why);
  parts.recorded = draw_buttons(frame, {{0, 0}, {width, far}}, recordings, false, nothing);
  if (!error.empty()) parts.error = paragraph_height(error);
  const auto maps = check ? maps_of(run, *check) : std::vector<RatioMap>{};
  const float per_row = std::max(1.0f, std::floor((width + frame.px(gap)) / frame.px(map_side + gap)));
  const float map_rows = std::ceil(float(maps.size()) / per_row);
  if (check) {
    parts.words = words_height(frame, *check, width);
    parts.check = frame.px(line + 4 + line + button_line) + parts.words +
                  map_rows * frame.px(map_side + line + gap) +
                  frame.px(line + 8 + line * float(check->bytes.size() + 1));
  }
  const float all =
      parts.check + parts.now + parts.recorded + parts.error + frame.px(3 * (line + 12) + 4 * gap);
  Box rest = content_box(frame, 250, all / frame.px(1));
  if (frame.gpu && frame.gpu->busy)
    draw_text(frame, rest.cut_top(std::round(frame.px(line))),
              frame.filled(Str::gpu_busy, int(frame.gpu->progress * 100)), frame.theme.muted,
              frame.fonts.body);
  if (!error.empty()) draw_wrapped(rest.cut_top(parts.error), error, frame.theme.bad, frame.fonts.small);
  if (check) {
    draw_verdict(frame, *check, rest, commands);
    if (parts.words > 0)
      draw_wrapped(rest.cut_top(parts.words), check->divergence.words, frame.theme.text, frame.fonts.small);
    for (std::size_t n = 0; n < maps.size();) {
      Box row = rest.cut_top(std::round(frame.px(map_side + line)));
      rest.cut_top(std::round(frame.px(gap)));
      for (float k = 0; k < per_row && n < maps.size(); ++k, ++n) {
        draw_map(frame, maps[n], row.cut_left(std::round(frame.px(map_side))), static_cast<int>(n), commands);
        row.cut_left(std::round(frame.px(gap)));
      }
    }
    draw_bytes(frame, *check, rest);
    rest.cut_top(std::round(frame.px(gap)));
  }
  section_heading(frame, rest.cut_top(std::round(frame.px(line + 10))), frame.text(Str::run_kernel_now), {},
                  !check);
  if (may_run) {
    draw_buttons(frame, rest.cut_top(parts.now), kernels, true,
                 [&](const std::string& name) { commands.push_back(RunKernel{name}); });
  } else {
    draw_wrapped(rest.cut_top(parts.now), why, frame.theme.muted, frame.fonts.small);
  }
  rest.cut_top(std::round(frame.px(gap)));
  section_heading(frame, rest.cut_top(std::round(frame.px(line + 10))), frame.text(Str::recorded_gpu_runs),
                  {});
  draw_buttons(frame, rest.cut_top(parts.recorded + 1), recordings, true,
               [&](const std::string& name) { commands.push_back(OpenRecorded{name}); });
}

}  // namespace tilewalk::viz
