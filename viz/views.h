// The views, as a table of rows. A view is one function in a file of its own: it draws what the frame says
// into the current window, and says what the user asks for. It keeps nothing.
#pragma once

#include <span>

#include "viz/box.h"
#include "viz/frame.h"

namespace tilewalk::viz {

// Where a view stands on a large screen. On smaller ones places are joined, and views behind one another get
// tabs.
enum class Place : std::uint8_t { left, middle_top, middle_bottom, middle_corner, right_top, right_bottom };
constexpr std::size_t place_count = 6;

struct ViewRow {
  ViewId id;
  std::string_view name;  // for tests and the command line
  Str title;
  Place place;
  // Called inside a window that is the panel's content: from the cursor on everything is the view's, and
  // scrolls.
  void (*draw)(const Frame& frame, Commands& commands);
  // What stands at the right end of the panel's heading, such as "tile 9, 1"; null: nothing.
  std::string (*about)(const Frame& frame) = nullptr;
};

// A lesson waits for an answer: what would tell it is not to be seen yet.
bool asks(const Frame& frame);

struct GpuCheck;
// What a GPU did in the first run, where that is known; else null.
const GpuCheck* gpu_check_of(const Frame& frame);

std::span<const ViewRow> views();
const ViewRow& view_of(ViewId id);

// One a file.
void draw_traversal(const Frame& frame, Commands& commands);
std::string about_traversal(const Frame& frame);
void draw_counters(const Frame& frame, Commands& commands);
void draw_what_if(const Frame& frame, Commands& commands);
void draw_lesson(const Frame& frame, Commands& commands);
std::string about_lesson(const Frame& frame);
void draw_source(const Frame& frame, Commands& commands);
void draw_gpu(const Frame& frame, Commands& commands);
void draw_memory(const Frame& frame, Commands& commands);
std::string about_memory(const Frame& frame);
void draw_tiles(const Frame& frame, Commands& commands);
std::string about_tiles(const Frame& frame);
void draw_merge(const Frame& frame, Commands& commands);

// Always there: across the top and the bottom.
void draw_title_bar(const Frame& frame, const Box& box, Commands& commands);
void draw_timeline(const Frame& frame, const Box& box, Commands& commands);
void draw_keys(const Frame& frame, Commands& commands);  // the overlay at `?`

}  // namespace tilewalk::viz
