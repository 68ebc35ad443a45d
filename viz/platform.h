// What differs between a window and a page.
#pragma once

#include <chrono>
#include <cstdint>

namespace tilewalk::viz {

#ifdef __EMSCRIPTEN__
constexpr bool in_page = true;
#else
constexpr bool in_page = false;
#endif

// Where long work is done. A page has no threads (they need headers that plain hosts of files do not send):
// there slices of time are handed out between frames.
enum class WorkMode : std::uint8_t { on_threads, in_slices };

constexpr WorkMode default_work_mode = in_page ? WorkMode::in_slices : WorkMode::on_threads;

using WorkClock = std::chrono::steady_clock;

}  // namespace tilewalk::viz
