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

}  // namespace

std::string tiles_svg(const ShownStep& step, Language language) {
  constexpr std::int64_t most = 32;
  Timeline& timeline = step.runs[0].run->timeline();
  if (timeline.size() == 0) return "";
  const Event here = timeline.event(step.position == 0 ? 0 : step.position - 1);
  const Kernel& kernel = timeline.plan().kernels[here.launch];
  if (kernel.q_blocks > most || kernel.kv_blocks > most || kernel.q_blocks * kernel.kv_blocks < 2) return "";
  std::map<std::pair<int, int>, std::size_t> visited;
  const std::int64_t blocks = kernel.blocks, instance = here.cta / blocks;
  timeline.each(timeline.kernel_start(here.launch), step.position, [&](const Event& e) {
    if (e.row >= 0 && e.col >= 0 && e.cta / blocks == instance)
      visited.emplace(std::pair(e.row, e.col), visited.size() + 1);
  });
  const double size = std::clamp(220.0 / double(std::max(kernel.q_blocks, kernel.kv_blocks)), 10.0, 40.0),
               left = 46, top = 28;
  std::string body = label(
      left, 16, language == Language::zh ? "键块 →（纵向：查询块）" : "key block → (down: query block)");
  for (int i = 0; i < kernel.q_blocks; ++i) {
    body += label(left - 6, top + (i + 0.65) * size, std::to_string(i), "text-anchor=\"end\" fill=\"#666\"");
    for (int j = 0; j < kernel.kv_blocks; ++j) {
      const auto order = visited.find({i, j});
      const bool now = here.row == i && here.col == j;
      body += rectangle(left + j * size, top + i * size, size - 2, size - 2,
                        std::string("stroke=\"") + (now ? "#c74f4f\" stroke-width=\"3\"" : "#999\"") +
                            " fill=\"" + (order == visited.end() ? "#fff" : "#cfe0f5") + "\"");
      if (order != visited.end() && size >= 18)
        body += label(left + (j + 0.45) * size, top + (i + 0.65) * size, std::to_string(order->second),
                      "text-anchor=\"middle\"");
    }
  }
  return framed(left + double(kernel.kv_blocks) * size + 10, top + double(kernel.q_blocks) * size + 8,
                language == Language::zh ? "走过的块" : "tiles visited", body);
}

std::string traffic_svg(const ShownStep& step, Language language) {
  struct Bar {
    std::string run, tensor;
    double read, written;
  };
  std::vector<Bar> bars;
  double most = 0;
  for (const ShownRun& run : step.runs) {
    Timeline& timeline = run.run->timeline();
    timeline.seek(&run == &step.runs[0] ? step.position : timeline.size());
    const Counts counts = timeline.state().total();
    const auto hbm = static_cast<std::size_t>(timeline.plan().config.arch.level("hbm"));
    for (std::size_t t = 0; t < timeline.plan().tensors.size(); ++t) {
      const double read = double(counts.bytes[hbm][0][t]), written = double(counts.bytes[hbm][1][t]);
      if (read + written == 0) continue;
      bars.push_back({run.name, std::string(timeline.plan().tensors[t].name), read, written});
      most = std::max(most, read + written);
    }
  }
  if (bars.empty()) return "";
  constexpr double row = 20, left = 110, width = 300;
  std::string body = label(0, 14,
                           language == Language::zh ? "HBM 字节：深色读，浅色写（模型）"
                                                    : "HBM bytes: dark read, light written (model)");
  for (std::size_t n = 0; n < bars.size(); ++n) {
    const Bar& bar = bars[n];
    const double y = 24 + double(n) * row, read = width * bar.read / most,
                 written = width * bar.written / most;
    body += label(left - 8, y + 13, (step.runs.size() > 1 ? bar.run + " " : "") + bar.tensor,
                  "text-anchor=\"end\"");
    body += rectangle(left, y, read, row - 5, "fill=\"" + colour_of(bar.tensor) + "\"");
    body += rectangle(left + read, y, written, row - 5,
                      "fill=\"" + colour_of(bar.tensor) + "\" fill-opacity=\"0.45\"");
    body += label(left + read + written + 6, y + 13, format_number(bar.read + bar.written, "bytes"));
  }
  return framed(left + width + 90, 30 + double(bars.size()) * row,
                language == Language::zh ? "HBM 流量" : "HBM traffic", body);
}

}  // namespace tilewalk
