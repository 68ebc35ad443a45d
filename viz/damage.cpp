#include "viz/damage.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace tilewalk::viz {
namespace {

// Order matters: a over b is not b over a.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

template <class T>
std::uint64_t mixed_bytes(std::uint64_t hash, const T& value) {
  static_assert(sizeof(T) % 4 == 0);
  std::uint32_t words[sizeof(T) / 4];
  std::memcpy(words, &value, sizeof(T));
  for (const std::uint32_t word : words) hash = mixed(hash, word);
  return hash;
}

// Calls visit(list, command, corners) for each triangle, in the order in which they are drawn.
template <class F>
void for_each_triangle(const ImDrawData& data, F visit) {
  for (int n = 0; n < data.CmdListsCount; ++n) {
    const ImDrawList& list = *data.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback) continue;
      const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
      const ImDrawVert* vertex = list.VtxBuffer.Data + command.VtxOffset;
      for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
        const ImDrawVert* corners[3] = {vertex + index[i], vertex + index[i + 1], vertex + index[i + 2]};
        visit(command, corners);
      }
    }
  }
}

// Copies triangles into one list, cut at a patch's borders.
class Gathering {
 public:
  explicit Gathering(ImDrawList& list) : list_(list) {}

  void add(const Patch& patch, const ImDrawCmd& source, const ImDrawVert* const (&corners)[3]) {
    const ImVec4& r = source.ClipRect;
    const ImVec4 clip{std::max(r.x, float(patch.x0)), std::max(r.y, float(patch.y0)),
                      std::min(r.z, float(patch.x1)), std::min(r.w, float(patch.y1))};
    if (clip.x >= clip.z || clip.y >= clip.w) return;
    if (starts_new(clip, source)) start(clip, source);
    for (const ImDrawVert* corner : corners) {
      list_.IdxBuffer.push_back(static_cast<ImDrawIdx>(vertices_++));
      list_.VtxBuffer.push_back(*corner);
    }
    list_.CmdBuffer.back().ElemCount += 3;
  }

 private:
  // Vertices of a command. Indices of 16 bits reach so many; those of 32 are for renderers without offsets.
  static constexpr unsigned most = (sizeof(ImDrawIdx) == 2 ? 65'535 : 1u << 30) / 3 * 3;

  bool starts_new(const ImVec4& clip, const ImDrawCmd& source) const {
    if (list_.CmdBuffer.empty() || vertices_ == most) return true;
    const ImDrawCmd& last = list_.CmdBuffer.back();
    return std::memcmp(&last.ClipRect, &clip, sizeof clip) != 0 || last.TextureId != source.TextureId;
  }
  void start(const ImVec4& clip, const ImDrawCmd& source) {
    if (vertices_ == most) first_ = static_cast<unsigned>(list_.VtxBuffer.Size), vertices_ = 0;
    ImDrawCmd command;
    command.ClipRect = clip;
    command.TextureId = source.TextureId;
    command.VtxOffset = first_;
    command.IdxOffset = static_cast<unsigned>(list_.IdxBuffer.Size);
    list_.CmdBuffer.push_back(command);
  }

  ImDrawList& list_;
  unsigned first_ = 0, vertices_ = 0;  // what the indices count from, and how far they have got
};

}  // namespace

Damage::Cells Damage::cells_of(ImVec2 low, ImVec2 high) const {
  const auto first = [](float at, int count) {
    return static_cast<std::int16_t>(std::clamp(std::floor(at / cell_size), 0.0f, float(count)));
  };
  const auto last = [](float at, int count) {
    return static_cast<std::int16_t>(std::clamp(std::floor(at / cell_size) + 1, 0.0f, float(count)));
  };
  return {first(low.x, columns_), first(low.y, rows_), last(high.x, columns_), last(high.y, rows_)};
}

std::vector<std::uint64_t> Damage::hashes(const ImDrawData& data) {
  std::vector<std::uint64_t> result(static_cast<std::size_t>(columns_ * rows_));
  triangles_.clear();
  for_each_triangle(data, [&](const ImDrawCmd& command, const ImDrawVert* const(&c)[3]) {
    const ImVec4& clip = command.ClipRect;
    const ImVec2 low{std::max(clip.x, std::min({c[0]->pos.x, c[1]->pos.x, c[2]->pos.x})),
                     std::max(clip.y, std::min({c[0]->pos.y, c[1]->pos.y, c[2]->pos.y}))};
    const ImVec2 high{std::min(clip.z, std::max({c[0]->pos.x, c[1]->pos.x, c[2]->pos.x})),
                      std::min(clip.w, std::max({c[0]->pos.y, c[1]->pos.y, c[2]->pos.y}))};
    // Also where a NaN makes the comparison fail.
    const Cells cells = low.x <= high.x && low.y <= high.y ? cells_of(low, high) : Cells{0, 0, 0, 0};
    triangles_.push_back(cells);
    if (cells.empty()) return;
    std::uint64_t hash = mixed_bytes(1, clip);
    for (const ImDrawVert* corner : c) hash = mixed_bytes(hash, *corner);
    for (int y = cells.y0; y < cells.y1; ++y)
      for (int x = cells.x0; x < cells.x1; ++x) {
        std::uint64_t& cell = result[static_cast<std::size_t>(y * columns_ + x)];
        cell = mixed(cell, hash);
      }
  });
  return result;
}

// Runs of changed cells in a row; a run that goes on below at the same place is one patch.
std::vector<Patch> Damage::patches(const std::vector<std::uint8_t>& changed) const {
  std::vector<Patch> open, done;
  for (int y = 0; y < rows_; ++y) {
    std::vector<Patch> next;
    for (int x = 0; x < columns_; ++x) {
      const auto at = [&](int column) {
        return changed[static_cast<std::size_t>(y * columns_ + column)] != 0;
      };
      if (!at(x)) continue;
      Patch run{x, y, x, y + 1};
      while (x < columns_ && at(x)) ++x;
      run.x1 = x;
      const auto above = std::find_if(open.begin(), open.end(),
                                      [&](const Patch& p) { return p.x0 == run.x0 && p.x1 == run.x1; });
      if (above != open.end()) run.y0 = above->y0, open.erase(above);
      next.push_back(run);
    }
    done.insert(done.end(), open.begin(), open.end());
    open = std::move(next);
  }
  done.insert(done.end(), open.begin(), open.end());
  for (Patch& p : done)
    p = {p.x0 * cell_size, p.y0 * cell_size, std::min(p.x1 * cell_size, int(size_.x)),
         std::min(p.y1 * cell_size, int(size_.y))};
  return done;
}

std::vector<Patch> Damage::update(const ImDrawData& data) {
  if (size_.x != data.DisplaySize.x || size_.y != data.DisplaySize.y) forget();
  size_ = data.DisplaySize;
  columns_ = (std::max(0, int(size_.x)) + cell_size - 1) / cell_size;
  rows_ = (std::max(0, int(size_.y)) + cell_size - 1) / cell_size;
  const std::vector<std::uint64_t> before = std::exchange(cells_, hashes(data));
  std::vector<std::uint8_t> changed(cells_.size());
  for (std::size_t n = 0; n < cells_.size(); ++n) changed[n] = before.empty() || before[n] != cells_[n];
  return patches(changed);
}

ImDrawData Damage::part(const ImDrawData& data, const std::vector<Patch>& patches) {
  list_ = std::make_unique<ImDrawList>(ImGui::GetDrawListSharedData());
  Gathering gathering(*list_);
  for (const Patch& patch : patches) {
    const Cells wanted =
        cells_of({float(patch.x0), float(patch.y0)}, {float(patch.x1) - 1, float(patch.y1) - 1});
    auto cells = triangles_.begin();
    for_each_triangle(data, [&](const ImDrawCmd& command, const ImDrawVert* const(&corners)[3]) {
      const Cells& c = *cells++;
      if (c.x0 < wanted.x1 && wanted.x0 < c.x1 && c.y0 < wanted.y1 && wanted.y0 < c.y1)
        gathering.add(patch, command, corners);
    });
  }
  ImDrawData result = data;
  result.CmdListsCount = 1;
  result.TotalVtxCount = list_->VtxBuffer.Size;
  result.TotalIdxCount = list_->IdxBuffer.Size;
#if IMGUI_VERSION_NUM >= 18980
  result.CmdLists.resize(1);
  result.CmdLists[0] = list_.get();
#else
  lists_[0] = list_.get();
  result.CmdLists = lists_;
#endif
  return result;
}

}  // namespace tilewalk::viz
