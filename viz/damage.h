// Which parts of a frame differ from the frame before: a software renderer then draws only those. While a run
// plays most of the screen stays as it is.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace tilewalk::viz {

// In the units of ImDrawData's display; from x0, y0 up to and without x1, y1.
struct Patch {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

class Damage {
 public:
  // The patches, disjoint, outside which this frame shows what the frame of the last call showed. After
  // forget() and in the first call that is one patch, the whole display. Looks at the triangles, not at
  // pixels: what is drawn the same way in the same order looks the same.
  std::vector<Patch> update(const ImDrawData& data);
  void forget() { cells_.clear(); }

  // What of `data`, the frame of the last update(), lies in the patches, cut at their borders. Drawn over the
  // frame before, where the patches are cleared first, it gives this frame. Valid until the next call.
  ImDrawData part(const ImDrawData& data, const std::vector<Patch>& patches);

  // Patches start and end at multiples of this, but for the display's own border.
  static constexpr int cell_size = 32;

 private:
  struct Cells {  // from the first up to and without the last
    std::int16_t x0, y0, x1, y1;
    bool empty() const { return x0 >= x1 || y0 >= y1; }
  };
  Cells cells_of(ImVec2 low, ImVec2 high) const;
  std::vector<std::uint64_t> hashes(const ImDrawData& data);
  std::vector<Patch> patches(const std::vector<std::uint8_t>& changed) const;

  std::vector<std::uint64_t> cells_;  // a hash of all that touches a cell, in its order; row by row
  std::vector<Cells> triangles_;      // where each triangle of the last frame lies, in the order of its lists
  std::unique_ptr<ImDrawList> list_;  // of part()
  ImDrawList* lists_[1] = {};
  ImVec2 size_ = {0, 0};
  int columns_ = 0, rows_ = 0;
};

}  // namespace tilewalk::viz
