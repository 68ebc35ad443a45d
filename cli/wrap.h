// Text broken into lines, of any mixture of Chinese and others.
#pragma once

#include <string>
#include <string_view>

namespace tilewalk {

// Lines of at most `width` columns, broken at spaces and beside wide characters; closing marks begin no line,
// opening ones end none. The first line begins with `first`, the others are indented as far. Ends in a line
// break.
std::string wrap(std::string_view text, std::size_t width, const std::string& first = "");

}  // namespace tilewalk
