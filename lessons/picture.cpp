#include "lessons/picture.h"

#include <algorithm>
#include <map>

namespace tilewalk {
namespace {

std::string number(double x) {
  std::string text = std::to_string(x);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string attribute(const char* name, double x) {
  return " " + std::string(name) + "=\"" + number(x) + "\"";
}

std::string rectangle(double x, double y, double w, double h, const std::string& rest) {
  return "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", w) + attribute("height", h) +
         " " + rest + "/>";
}

std::string label(double x, double y, const std::string& text, const std::string& rest = "") {
  return "<text" + attribute("x", x) + attribute("y", y) + " " + rest + ">" + text + "</text>";
}

std::string framed(double width, double height, const std::string& name, const std::string& body) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"" + name + "\" viewBox=\"0 0 " +
         number(width) + " " + number(height) + "\" width=\"" + number(width) + "\" height=\"" +
         number(height) + "\" font-size=\"12\">" + body + "</svg>\n";
}

constexpr std::pair<std::string_view, std::string_view> colours[] = {{"Q", "#3f7fd0"}, {"K", "#d08a1e"},
                                                                     {"V", "#2f9a6a"}, {"S", "#8a8a8a"},
                                                                     {"P", "#a77bd0"}, {"O", "#c74f4f"}};

std::string colour_of(std::string_view tensor) {
  for (const auto& [name, colour] : colours) {
    if (name == tensor) return std::string(colour);
  }
  return "#5a6b7a";
}

std::string word(Language language, const char* en, const char* zh) {
  return language == Language::zh ? zh : en;
}

// The kernel and head at work at a position, and when each of its tiles was visited first, from 1.
struct Walk {
  const Kernel& kernel;
  Event here;
  std::map<std::pair<int, int>, std::size_t> visits;  // by row and column
};

Walk walk_at(Timeline& timeline, std::uint64_t position) {
  const Event here = timeline.event(position == 0 ? 0 : position - 1);
  Walk walk{timeline.plan().kernels[here.launch], here, {}};
  const std::int64_t blocks = walk.kernel.blocks, instance = here.cta / blocks;
  timeline.each(timeline.kernel_start(here.launch), position, [&](const Event& e) {
    if (e.row >= 0 && e.col >= 0 && e.cta / blocks == instance)
      walk.visits.emplace(std::pair(e.row, e.col), walk.visits.size() + 1);
  });
  return walk;
}

// A tile at (x, y), `size` pixels large.
std::string tile_svg(const Walk& walk, int row, int col, double x, double y, double size) {
  const auto visit = walk.visits.find({row, col});
  const bool seen = visit != walk.visits.end(), now = walk.here.row == row && walk.here.col == col;
  const std::string tile =
      rectangle(x, y, size - 2, size - 2,
                std::string("stroke=\"") + (now ? "#c74f4f\" stroke-width=\"3\"" : "#999\"") + " fill=\"" +
                    (seen ? "#cfe0f5" : "#fff") + "\"");
  if (!seen || size < 18) return tile;
  return tile +
         label(x + 0.45 * size, y + 0.65 * size, std::to_string(visit->second), "text-anchor=\"middle\"");
}

struct Bar {
  std::string run, tensor;
  double read, written;  // bytes
};

std::vector<Bar> bars_of(const ShownRun& run, std::uint64_t position) {
  std::vector<Bar> bars;
  Timeline& timeline = run.run->timeline();
  timeline.seek(position);
  const Counts counts = timeline.state().total();
  const auto hbm = static_cast<std::size_t>(timeline.plan().config.arch.level("hbm"));
  for (std::size_t t = 0; t < timeline.plan().tensors.size(); ++t) {
    const Bar bar{run.name, std::string(timeline.plan().tensors[t].name), double(counts.bytes[hbm][0][t]),
                  double(counts.bytes[hbm][1][t])};
    if (bar.read + bar.written > 0) bars.push_back(bar);
  }
  return bars;
}

// A bar from `left` at height y; `scale`: pixels a byte.
std::string bar_svg(const Bar& bar, const std::string& name, double left, double y, double scale) {
  constexpr double height = 15;
  const double read = bar.read * scale, written = bar.written * scale;
  const std::string colour = "fill=\"" + colour_of(bar.tensor) + "\"";
  return label(left - 8, y + 13, name, "text-anchor=\"end\"") + rectangle(left, y, read, height, colour) +
         rectangle(left + read, y, written, height, colour + " fill-opacity=\"0.45\"") +
         label(left + read + written + 6, y + 13, format_number(bar.read + bar.written, "bytes"));
}

}  // namespace

std::string tiles_svg(const ShownStep& step, Language language) {
  constexpr int most = 32;
  constexpr double left = 46, top = 28;
  Timeline& timeline = step.runs[0].run->timeline();
  if (timeline.size() == 0) return "";
  const Kernel& kernel =
      timeline.plan().kernels[timeline.event(step.position == 0 ? 0 : step.position - 1).launch];
  if (kernel.q_blocks > most || kernel.kv_blocks > most || kernel.q_blocks * kernel.kv_blocks < 2) return "";
  const Walk walk = walk_at(timeline, step.position);
  const double size = std::clamp(220.0 / double(std::max(kernel.q_blocks, kernel.kv_blocks)), 10.0, 40.0);
  std::string body =
      label(left, 16, word(language, "key block → (down: query block)", "键块 →（纵向：查询块）"));
  for (int i = 0; i < kernel.q_blocks; ++i) {
    body += label(left - 6, top + (i + 0.65) * size, std::to_string(i), "text-anchor=\"end\" fill=\"#666\"");
    for (int j = 0; j < kernel.kv_blocks; ++j)
      body += tile_svg(walk, i, j, left + j * size, top + i * size, size);
  }
  constexpr double heading = 260;  // wide enough for its words
  return framed(std::max(heading, left + double(kernel.kv_blocks) * size + 10),
                top + double(kernel.q_blocks) * size + 8, word(language, "tiles visited", "走过的块"), body);
}

std::string traffic_svg(const ShownStep& step, Language language) {
  constexpr double row = 20, left = 110, width = 300;
  std::vector<Bar> bars;
  for (const ShownRun& run : step.runs) {
    const bool first = &run == &step.runs[0];
    for (Bar& bar : bars_of(run, first ? step.position : run.run->timeline().size()))
      bars.push_back(std::move(bar));
  }
  if (bars.empty()) return "";
  double most = 0;
  for (const Bar& bar : bars) most = std::max(most, bar.read + bar.written);
  std::string body = label(
      0, 14,
      word(language, "HBM bytes: dark read, light written (model)", "HBM 字节：深色读，浅色写（模型）"));
  for (std::size_t n = 0; n < bars.size(); ++n) {
    const std::string name = (step.runs.size() > 1 ? bars[n].run + " " : "") + bars[n].tensor;
    body += bar_svg(bars[n], name, left, 24 + double(n) * row, width / most);
  }
  return framed(left + width + 90, 30 + double(bars.size()) * row, word(language, "HBM traffic", "HBM 流量"),
                body);
}

}  // namespace tilewalk
