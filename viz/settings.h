// What a user chooses about the picture, apart from the run and the position.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/language.h"
#include "sim/timeline.h"

namespace tilewalk::viz {

enum class ThemeName : std::uint8_t { dark, light, contrast };

constexpr std::string_view theme_names[] = {"dark", "light", "contrast"};
constexpr std::string_view step_size_names[] = {"operation", "tile", "inner_loop", "kernel"};
constexpr float least_speed = 0.25f, most_speed = 128;

// The views, in the order of the table in views.cpp.
enum class ViewId : std::uint8_t { what_if, lesson, memory, traversal, tiles, merge, counters, source, gpu };
constexpr std::size_t view_count = 9;

constexpr float least_scale = 0.75f, most_scale = 3;

struct Settings {
  Language language = Language::en;
  ThemeName theme = ThemeName::dark;
  float scale = 1;         // of the whole interface
  bool projector = false;  // half as large again, for the last row of a lecture hall
  float density = 1;       // the screen's pixels for a length of 1; never kept
  StepSize step = StepSize::tile;
  float speed = 4;       // steps a second, when playing
  bool answers = false;  // a teacher's: answers to predictions are shown at once
  std::string scores;    // what was answered in lessons, and where one was; as of Scores::text()
  // Views that were brought to the front, the latest last: of those that share a place, it is seen.
  std::vector<ViewId> raised;

  // Pixels that a length of 1 takes.
  float pixels() const { return (projector ? scale * 1.5f : scale) * density; }
};

// Of which the tiles view shows the values.
enum class TileShown : std::uint8_t { scores, q, k, v, o, rows };
constexpr std::string_view tile_shown_names[] = {"scores", "q", "k", "v", "o", "rows"};

// What is looked at more closely. Rows are query rows of the run's first head that is at work.
struct Selection {
  std::int64_t row = -1;  // -1: the first row of the current tile
  std::size_t field = 0;  // of the what-if panel
  TileShown tile = TileShown::scores;
};

}  // namespace tilewalk::viz
