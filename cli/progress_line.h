// "counting: 42 %" on stderr, for people who wait.
#pragma once

#include <chrono>
#include <string>

#include "sim/progress.h"

namespace tilewalk {

// Shows itself when stderr is a terminal and the work has taken over a second, and removes itself at the end.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what) : what_(std::move(what)) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // For sim to call; throws Interrupted after Ctrl-C. Must not outlive this.
  Progress callback() {
    return [this](double done) { show(done); };
  }

 private:
  using Clock = std::chrono::steady_clock;
  void show(double done);

  std::string what_;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
  bool visible_ = false;
};

}  // namespace tilewalk
