// Files that the viewer writes: whole, or not at all.
#pragma once

#include <string>
#include <string_view>

namespace tilewalk::viz {

// Writes beside the target and puts the result in its place. Throws RequestError in one line.
void write_whole(const std::string& path, std::string_view bytes);

}  // namespace tilewalk::viz
