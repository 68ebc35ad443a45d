#include "viz/views.h"

#include "sim/error.h"
#include "viz/viewer.h"

namespace tilewalk::viz {
namespace {

// In the order of ViewId. Of those that share a place, the first one is seen first.
constexpr ViewRow table[] = {
    {ViewId::what_if, "what-if", Str::view_what_if, Place::left, draw_what_if},
    {ViewId::lesson, "lesson", Str::view_lesson, Place::left, draw_lesson, about_lesson},
    {ViewId::memory, "memory", Str::view_memory, Place::middle_top, draw_memory, about_memory},
    {ViewId::traversal, "traversal", Str::view_traversal, Place::middle_bottom, draw_traversal,
     about_traversal},
    {ViewId::tiles, "tiles", Str::view_tiles, Place::middle_corner, draw_tiles, about_tiles},
    {ViewId::merge, "merge", Str::view_merge, Place::right_top, draw_merge},
    {ViewId::counters, "counters", Str::view_counters, Place::right_bottom, draw_counters},
    {ViewId::source, "source", Str::view_source, Place::right_bottom, draw_source},
    {ViewId::gpu, "gpu", Str::view_gpu, Place::right_bottom, draw_gpu},
};
static_assert(std::size(table) == view_count);

}  // namespace

std::span<const ViewRow> views() { return table; }

ViewId view_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ViewRow& row : table) {
    if (row.name == name) return row.id;
    names.push_back(row.name);
  }
  throw RequestError("--show: " + unknown_name("view", name, names));
}

const ViewRow& view_of(ViewId id) { return table[static_cast<std::size_t>(id)]; }

}  // namespace tilewalk::viz
