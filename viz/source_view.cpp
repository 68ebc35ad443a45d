// The schedule's own source, with the line that is at work; and beside it the CUDA kernel's, at the line that
// does the same. Several runs show their schedules beside one another.
#include <cmath>

#include "sim/describe.h"
#include "viz/code.h"
#include "viz/gpu_job.h"
#include "viz/kernel_lines.h"
#include "viz/views.h"

namespace tilewalk::viz {
namespace {

struct Page {
  std::string title;
  std::string_view source;
  int lit;
  std::string remark;  // instead of the source
};

Page schedule_page(const Frame& frame, const RunFrame& run) {
  const auto file = run.plan().algorithm().file;
  const auto& e = run.moment.current();
  return {frame.filled(Str::source_schedule, file), schedule_source(file), e ? int{e->line} : 0, ""};
}

Page kernel_page(const Frame& frame, const RunFrame& run) {
  // That of the open GPU run, so that all views speak of one kernel.
  const bool has_check = frame.gpu && frame.gpu->check;
  const auto algorithm = run.plan().algorithm().name,
             kernel = kernel_with_lines(algorithm, has_check ? frame.gpu->check->kernel : "");
  if (kernel.empty())
    return {std::string(frame.text(Str::source_kernel_none)), "", 0,
            frame.filled(Str::source_no_kernel, algorithm)};
  const auto& e = run.moment.current();
  const int lit = e ? kernel_line(kernel, *e, run.plan()) : 0;
  return {frame.filled(Str::source_kernel, std::string(kernel) + ".cuh"), kernel_source(kernel), lit, ""};
}

void draw_page(const Frame& frame, Box box, const Page& page, int id) {
  draw_text(frame, box.cut_top(std::round(frame.px(22))), page.title, frame.theme.muted, frame.fonts.small);
  ImGui::GetWindowDrawList()->AddRectFilled(box.min, box.max, frame.theme.inset, frame.px(6));
  if (page.source.empty()) {
    draw_wrapped(box.inset(frame.px(10)), page.remark, frame.theme.muted, frame.fonts.body);
    return;
  }
  ImGui::PushID(id);
  draw_code(frame, box.inset(std::round(frame.px(4))), "code", page.source, page.lit);
  ImGui::PopID();
}

}  // namespace

void draw_source(const Frame& frame, Commands&) {
  std::vector<Page> pages;
  for (const RunFrame& run : frame.runs) pages.push_back(schedule_page(frame, run));
  if (frame.runs.size() == 1) pages.push_back(kernel_page(frame, frame.runs.front()));
  const auto count = float(pages.size());
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = std::round(frame.px(10));
  const bool beside = room.x >= frame.px(330) * count;
  Box box = content_box(frame, 200, beside ? 120 : 110 * count);
  const float width = std::floor((box.width() - gap * (count - 1)) / count);
  const float height = std::floor((box.height() - gap * (count - 1)) / count);
  for (std::size_t n = 0; n < pages.size(); ++n) {
    draw_page(frame, beside ? box.cut_left(width) : box.cut_top(height), pages[n], static_cast<int>(n));
    beside ? box.cut_left(gap) : box.cut_top(gap);
  }
}

}  // namespace tilewalk::viz
