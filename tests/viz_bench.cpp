// How fast the viewer is, beside its goals. Run by hand; with a display (xvfb-run) it measures a window too.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "lessons/lessons.h"
#include "sim/arch.h"
#include "viz/ui_context.h"
#include "viz/viewer.h"

using namespace tilewalk;
using namespace tilewalk::viz;
using Clock = std::chrono::steady_clock;

namespace {

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::size_t peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) / 1024;
}

RunRequest request_of(const char* algorithm, std::int64_t n, std::int64_t block) {
  RunRequest r;
  r.algorithm = algorithm;
  r.problem.n_q = r.problem.n_kv = n;
  r.tiling.block_q = r.tiling.block_kv = block;
  r.arch = arch_named("a100");
  return r;
}

// Each in a process of its own, so that memory is its own too.
template <class F>
void apart(F measure) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    measure();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
}

void measure_frames(const char* name, std::vector<RunRequest> requests) {
  App app({});
  UiContext ui;
  const auto start = Clock::now();
  app.apply(OpenRuns{std::move(requests)});
  app.settle(std::chrono::minutes(10));
  const double opened = seconds_since(start);
  app.rest(std::chrono::minutes(10));
  ui.draw_still(app, {1600, 900});
  constexpr int frames = 200;
  double worst = 0;
  const double before = cpu_seconds();
  for (int n = 0; n < frames; ++n) {
    app.apply(Step{1});
    app.settle(std::chrono::minutes(1));
    const auto frame = Clock::now();
    ui.draw(app);
    worst = std::max(worst, seconds_since(frame));
  }
  const double all = cpu_seconds() - before;
  const auto begin = Clock::now();
  for (int n = 0; n < frames; ++n) ui.draw(app);
  fmt::print(
      "{:34} open {:.2f} s, frame {:.2f} ms (worst {:.2f}; goal 4), step and frame {:.2f} ms, memory {} MB\n",
      name, opened, seconds_since(begin) / frames * 1e3, worst * 1e3, all / frames * 1e3, peak_megabytes());
}

// From the key to the picture with the step's run in it, for every step of every lesson up to N = 1024.
void measure_lessons() {
  App app({});
  UiContext ui;
  app.apply(OpenRuns{{default_request()}});
  app.settle(std::chrono::minutes(1));
  ui.draw_still(app, {1600, 900});
  std::vector<double> taken, text;
  for (const Lesson& lesson : lessons()) {
    app.apply(OpenLesson{lesson.id, "1"});
    for (std::size_t n = 0; n < lesson.steps.size(); ++n) {
      const auto begin = Clock::now();
      app.apply(OpenLesson{lesson.id, std::to_string(n + 1)});
      ui.prepare(app);
      ui.draw(app);
      text.push_back(seconds_since(begin) * 1e3);
      app.settle(std::chrono::minutes(1));
      ui.prepare(app);
      ui.draw(app);
      const auto frame = app.frame({});
      if (frame.runs.front().plan().problem().n_q <= 1024) taken.push_back(seconds_since(begin) * 1e3);
    }
  }
  const auto print = [](const char* name, std::vector<double>& all) {
    std::sort(all.begin(), all.end());
    fmt::print("{:34} median {:.1f} ms, 95 % {:.1f} ms, worst {:.1f} ms of {} steps\n", name,
               all[all.size() / 2], all[all.size() * 95 / 100], all.back(), all.size());
  };
  print("a lesson's step is drawn (16.7 ms)", text);
  print("its run has come, N <= 1024", taken);
}

void measure_window(const char* name, const RunRequest& request, const char* goal) {
  ViewerOptions options;
  options.runs = {request};
  options.playing = true;
  const auto start = Clock::now();
  int frames = 0;
  double first = 0, from = 0, used = 0;
  constexpr double warm = 2, measured = 5;
  show_window(options, [&] {
    const double now = seconds_since(start);
    if (first == 0 && frames == 1) first = now;
    if (now > warm && from == 0) from = now, frames = 0, used = cpu_seconds();
    ++frames;
    return from > 0 && now > from + measured;
  });
  // On a machine that others use too, the processor's time for a frame says more than frames a second.
  used = (cpu_seconds() - used) / double(frames) * 1e3;
  fmt::print(
      "{:34} {:.0f} frames/s (goal {}), {:.1f} ms of processor a frame, first frame after {:.2f} s (goal 1), "
      "memory {} MB\n",
      name, double(frames) / measured, goal, used, first, peak_megabytes());
}

void measure_rest() {
  ViewerOptions options;
  options.runs = {default_request()};
  const auto start = Clock::now();
  double from = 0, used = 0;
  constexpr double warm = 3, measured = 10;
  show_window(options, [&] {
    const double now = seconds_since(start);
    if (now > warm && from == 0) from = now, used = cpu_seconds();
    return from > 0 && now > from + measured;
  });
  fmt::print("{:34} {:.2f} % of a core (goal 2)\n", "at rest", (cpu_seconds() - used) / measured * 100);
}

}  // namespace

// "window" as argument: the window alone.
int main(int count, char** words) {
  const RunRequest small = request_of("flash2", 1024, 64), large = request_of("flash2", 4096, 32);
  const bool all = count < 2 || std::string_view(words[1]) != "window";
  if (all) apart([&] { measure_frames("N 1024, 64x64", {small}); });
  if (all) apart([&] { measure_frames("N 4096, 32x32", {large}); });
  if (all)
    apart([&] {
      measure_frames("N 4096, three runs (512 MB)",
                     {request_of("standard", 4096, 32), request_of("flash1", 4096, 32), large});
    });
  if (all) apart([&] { measure_frames("N 65536, counted (256 MB)", {request_of("flash2", 65536, 64)}); });
  if (all) apart(measure_lessons);
  if (!std::getenv("DISPLAY")) return fmt::print("no display: run it under xvfb-run for the window\n"), 0;
  apart([&] { measure_window("window, N 1024, 64x64", small, "60"); });
  apart([&] { measure_window("window, N 4096, 32x32", large, "30"); });
  apart(measure_rest);
  return 0;
}
