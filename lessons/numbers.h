// Strict numbers from flags: the whole text is the number, or the flag is refused in one line.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewalk {

// Throws RequestError "flag text: must be a whole number from least to most, e.g. example".
std::int64_t parse_whole(std::string_view flag, std::string_view text, std::int64_t least, std::int64_t most,
                         std::string_view example);

std::uint64_t parse_seed(std::string_view flag, std::string_view text);

// "0.125", "1/8" or "1/sqrt(d)".
float parse_scale(std::string_view text, std::int64_t d);

}  // namespace tilewalk
