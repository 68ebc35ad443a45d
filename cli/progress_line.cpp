#include "cli/progress_line.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/console.h"
#include "cli/interrupt.h"

namespace tilewalk {

ProgressLine::~ProgressLine() {
  if (visible_) std::fputs("\r\x1b[K", stderr);
}

void ProgressLine::show(double done) {
  throw_if_interrupted();
  const Clock::time_point now = Clock::now();
  if (now < next_ || !errors_are_terminal()) return;
  next_ = now + std::chrono::milliseconds(100);
  visible_ = true;
  std::fputs(fmt::format("\r{}: {:.0f} %\x1b[K", what_, 100 * done).c_str(), stderr);
}

}  // namespace tilewalk
