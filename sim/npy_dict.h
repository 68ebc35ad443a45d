// The text of a .npy header: a Python dict literal with exactly the keys descr, fortran_order and shape.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilewalk::npy {

inline constexpr std::size_t max_axes = 64;  // as NumPy

struct Fields {
  std::string_view descr;  // into the text
  bool fortran_order;
  std::vector<std::int64_t> shape;
};

// Throws RequestError for any other text.
Fields scan_fields(std::string_view text);

}  // namespace tilewalk::npy
