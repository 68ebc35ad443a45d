// How sim/npy refuses a file: in one line, "fault; remedy". Its caller puts the file's name in front.
#pragma once

#include <string>
#include <string_view>

#include "sim/error.h"

namespace tilewalk::npy {

inline constexpr const char* save_again = "write it again with np.save";

[[noreturn]] inline void refuse(const std::string& fault, const std::string& remedy) {
  throw RequestError(fault + "; " + remedy);
}

// `text` fit for one line of a message: no control characters, and ASCII only if asked.
inline std::string printable(std::string_view text, bool ascii_only) {
  std::string shown(text);
  for (char& c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (ascii_only && byte > 0x7f)) c = '?';
  }
  return shown;
}

// A piece of the file's header, quoted and cut to a length that a message can carry.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  return "'" + printable(text.substr(0, longest), true) + (text.size() > longest ? "...'" : "'");
}

}  // namespace tilewalk::npy
