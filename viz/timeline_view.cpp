// Along the bottom: transport, step sizes, speed, the way through the run, and the step in words.
#include <array>
#include <cmath>

#include "viz/gpu_job.h"
#include "viz/sentence.h"
#include "viz/views.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

constexpr Str step_names[] = {Str::step_operation, Str::step_tile, Str::step_inner_loop, Str::step_kernel};

void draw_transport(const Frame& frame, Box& row, Commands& commands) {
  const float width = std::round(row.height() * 1.15f);
  const auto button = [&](const char* id, Icon icon, Str hint, bool on, Command command) {
    if (icon_button(frame, row.cut_left(width), id, icon, frame.text(hint), on)) commands.push_back(command);
    row.cut_left(frame.px(6));
  };
  button("start", Icon::start, Str::to_start, false, SeekEnd{false});
  button("back", Icon::back, Str::step_back, false, Step{-1});
  button("play", frame.playing ? Icon::pause : Icon::play, frame.playing ? Str::pause : Str::play, true,
         TogglePlay{});
  button("forward", Icon::forward, Str::step_forward, false, Step{1});
  button("end", Icon::end, Str::to_end, false, SeekEnd{true});
}

// "2 tile"; where room is short, the digit alone.
std::string step_label(const Frame& frame, int n, bool in_words) {
  const std::string digit = std::to_string(n + 1);
  return in_words ? digit + "\u00A0" + std::string(frame.text(step_names[n])) : digit;
}

float steps_width(const Frame& frame, bool in_words) {
  float width = 0;
  for (int n = 0; n < 4; ++n) width += button_width(frame, step_label(frame, n, in_words)) + frame.px(6);
  return width;
}

void draw_step_sizes(const Frame& frame, Box& row, Commands& commands) {
  const bool in_words = steps_width(frame, true) <= row.width() * 0.6f;
  if (steps_width(frame, in_words) > row.width()) return;  // a telephone's; the keys 1 to 4 do the same
  for (int n = 0; n < 4; ++n) {
    const std::string label = step_label(frame, n, in_words);
    const auto size = static_cast<StepSize>(n);
    const Box box = row.cut_left(button_width(frame, label));
    if (text_button(frame, box, label.c_str(), label, frame.settings.step == size))
      commands.push_back(SetStepSize{size});
    if (!in_words && ImGui::IsItemHovered()) tooltip(frame, frame.text(step_names[n]));
    row.cut_left(frame.px(6));
  }
}

void draw_speed(const Frame& frame, Box& row, Commands& commands) {
  const std::string value = frame.filled(Str::speed_value, frame.settings.speed);
  const float name = std::ceil(text_width(frame.text(Str::speed), frame.fonts.body)) + frame.px(6);
  const float shown = std::ceil(text_width("0.25 /s00", frame.fonts.body)), sign = row.height();
  if (row.width() < name + shown + 2 * sign + frame.px(180)) return;
  draw_text(frame, row.cut_left(name), frame.text(Str::speed), frame.theme.muted, frame.fonts.body);
  if (text_button(frame, row.cut_left(sign), "slower", "−")) commands.push_back(ChangeSpeed{-1});
  draw_text(frame, row.cut_left(shown), value, frame.theme.text, frame.fonts.body, Align::centre);
  if (text_button(frame, row.cut_left(sign), "faster", "+")) commands.push_back(ChangeSpeed{1});
  row.cut_left(frame.px(12));
}

float x_of(const Box& bar, std::uint64_t position, std::uint64_t size) {
  return bar.min.x + bar.width() * float(double(position) / double(std::max<std::uint64_t>(1, size)));
}

// Tiles (or inner loops) as cells where they are few enough to be told apart, else one bar for each kernel.
void draw_way(const Frame& frame, const RunFrame& run, const Box& bar) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const RunFacts& facts = run.facts;
  const bool cells = !facts.marks.empty() && bar.width() / float(facts.marks.size()) >= frame.px(4);
  const auto& starts = cells ? facts.marks : facts.kernel_starts;
  for (std::size_t n = 0; n < starts.size(); ++n) {
    const std::uint64_t begin = starts[n], end = n + 1 < starts.size() ? starts[n + 1] : facts.size;
    if (begin >= end) continue;
    const float left = x_of(bar, begin, facts.size),
                right = x_of(bar, end, facts.size) - frame.px(cells ? 1.5f : 2);
    const float now = std::clamp(x_of(bar, run.moment.position, facts.size), left, right);
    list->AddRectFilled({left, bar.min.y}, {right, bar.max.y}, frame.theme.to_come, frame.px(1.5f));
    if (now > left)
      list->AddRectFilled({left, bar.min.y}, {now, bar.max.y}, frame.theme.done, frame.px(1.5f));
  }
  const float x = x_of(bar, run.moment.position, facts.size);
  list->AddRectFilled({x - frame.px(1.5f), bar.min.y - frame.px(4)},
                      {x + frame.px(1.5f), bar.max.y + frame.px(4)}, frame.theme.path, frame.px(1.5f));
}

// Where a fault or a GPU leaves what it should do: red, above the bar, at most one a pixel.
void draw_ticks(const Frame& frame, const RunFrame& run, const Divergence& d, const Box& bar) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  float last = -1e9f;
  for (const std::uint64_t position : d.ticks) {
    const float x = std::floor(x_of(bar, position, run.facts.size));
    if (x - last < frame.px(2)) continue;
    last = x;
    list->AddRectFilled({x - frame.px(1), bar.min.y - frame.px(3)}, {x + frame.px(1), bar.max.y},
                        frame.theme.bad);
  }
}

const Divergence* divergence_of(const Frame& frame, std::size_t n) {
  if (frame.runs[n].divergence) return frame.runs[n].divergence;
  const GpuCheck* check = n == 0 ? gpu_check_of(frame) : nullptr;
  return check ? &check->divergence : nullptr;
}

// Runs lie above one another; dragging on one seeks there.
void draw_scrubbers(const Frame& frame, Box box, Commands& commands) {
  const float height =
      std::floor((box.height() - frame.px(3) * float(frame.runs.size() - 1)) / float(frame.runs.size()));
  for (std::size_t n = 0; n < frame.runs.size(); ++n) {
    const Box bar = box.cut_top(height);
    box.cut_top(frame.px(3));
    ImGui::PushID(static_cast<int>(n));
    clicked("scrub", bar);
    if (ImGui::IsItemActive()) {
      const float part = std::clamp((ImGui::GetIO().MousePos.x - bar.min.x) / bar.width(), 0.0f, 1.0f);
      const auto size = frame.runs[n].facts.size;
      const auto position = static_cast<std::uint64_t>(std::llround(double(part) * double(size)));
      if (position != frame.runs[n].moment.position) commands.push_back(Seek{position, n});
    }
    ImGui::PopID();
    draw_way(frame, frame.runs[n], bar);
    if (const Divergence* d = divergence_of(frame, n)) draw_ticks(frame, frame.runs[n], *d, bar);
  }
}

// To type a place: "load K 2", "tile 9 1", "300".
void draw_go_to(const Frame& frame, Box& row, Commands& commands) {
  const float width = std::min(frame.px(130), row.width() - frame.px(150));
  if (width < frame.px(80)) return;
  const Box box = row.cut_left(width);
  row.cut_left(frame.px(10));
  std::array<char, 96> words{};
  ImGui::SetCursorScreenPos({box.min.x, box.centre().y - ImGui::GetFrameHeight() / 2});
  ImGui::SetNextItemWidth(box.width());
  if (frame.focus_go_to) ImGui::SetKeyboardFocusHere();
  if (ImGui::InputTextWithHint("##go", frame.text(Str::go_to).data(), words.data(), words.size(),
                               ImGuiInputTextFlags_EnterReturnsTrue) &&
      words[0] != 0)
    commands.push_back(SeekWords{words.data(), 0});
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) tooltip(frame, frame.text(Str::go_to_hint));
}

// A way to the first difference, where there is one.
void draw_difference(const Frame& frame, Box& row, Commands& commands) {
  bool any = false;
  for (std::size_t n = 0; n < frame.runs.size(); ++n) {
    const Divergence* d = divergence_of(frame, n);
    any = any || (d && d->first);
  }
  const auto label = frame.text(Str::first_difference);
  const float width = button_width(frame, label);
  if (!any || row.width() < width + frame.px(120)) return;
  if (text_button(frame, row.cut_left(width), "difference", label)) commands.push_back(SeekDivergence{});
  row.cut_left(frame.px(10));
}

void draw_position(const Frame& frame, Box& row) {
  const RunFrame& run = frame.runs.front();
  if (const GpuCheck* check = gpu_check_of(frame); check && check->agrees()) {
    const std::string words = frame.filled(Str::gpu_agrees, grouped(check->divergence.diff.tiles.size()));
    const float width = std::ceil(text_width(words, frame.fonts.body)) + 1;
    if (row.width() > width + frame.px(210))
      draw_text(frame, row.cut_left(width), words, frame.theme.good, frame.fonts.body);
  }
  std::string text = frame.filled(Str::event_of, grouped(run.moment.position), grouped(run.facts.size));
  if (run.busy) text = frame.filled(Str::on_its_way, int(run.progress * 100)) + "  " + text;
  draw_text(frame, row, text, frame.theme.text, frame.fonts.body, Align::right);
}

// What went wrong, else the step in words. Where it does not fit one line it is shown whole when the mouse is
// over it.
void draw_status(const Frame& frame, const Box& box) {
  if (!frame.notice.empty()) {
    draw_text(frame, box, frame.notice, frame.notice_good ? frame.theme.good : frame.theme.bad,
              frame.fonts.body);
  } else if (!frame.runs.empty()) {
    const RunFrame& run = frame.runs.front();
    std::string words = sentence(run.moment, run.plan(), frame.settings.language, !asks(frame));
    // Of several runs the first one leads; the others stand at the same share of their way.
    if (frame.runs.size() > 1) words = std::string(run.plan().algorithm().name) + ": " + words;
    draw_text(frame, box, words, frame.theme.text, frame.fonts.body);
  }
}

}  // namespace

void draw_timeline(const Frame& frame, const Box& box, Commands& commands) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(box.min, box.max, frame.theme.bar);
  list->AddLine({box.min.x, box.min.y + 0.5f}, {box.max.x, box.min.y + 0.5f}, frame.theme.line);
  const bool low = box.height() < frame.px(100);
  Box rest = box.inset(std::round(frame.px(16)), std::round(frame.px(low ? 6 : 10)));
  Box row = rest.cut_top(std::round(frame.px(low ? 28 : 34)));
  rest.cut_top(std::round(frame.px(low ? 7 : 11)));
  const Box status = rest.cut_bottom(std::round(frame.px(22)));
  rest.cut_bottom(std::round(frame.px(low ? 5 : 7)));
  if (!frame.runs.empty()) {
    draw_transport(frame, row, commands);
    row.cut_left(frame.px(12));
    draw_step_sizes(frame, row, commands);
    row.cut_left(frame.px(12));
    draw_speed(frame, row, commands);
    draw_go_to(frame, row, commands);
    draw_difference(frame, row, commands);
    draw_position(frame, row);
    draw_scrubbers(frame, rest, commands);
  }
  draw_status(frame, status);
}

}  // namespace tilewalk::viz
