// What a .npy file says before its data: the preamble (magic, version, length of the header), and the header.
// Everything but a supported file is refused by RequestError, whose message lacks the file's name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/npy.h"

namespace tilewalk::npy {

inline constexpr std::string_view magic = "\x93NUMPY";
inline constexpr std::size_t max_preamble_bytes = 12;  // magic, version (2), header length (2 or 4)

struct Preamble {
  std::size_t header_at = 0;
  std::size_t header_bytes = 0;

  std::size_t data_at() const { return header_at + header_bytes; }
};

struct Header {
  std::vector<std::int64_t> shape;
  NpyType type = NpyType::f32;
  std::size_t count = 0;  // of elements
};

// `start`: the first bytes of the file, as many as there are up to max_preamble_bytes. The header it promises
// lies within the file.
Preamble parse_preamble(std::string_view start, std::uint64_t file_bytes);

// Holds the bytes of data in the file, too, against what the header promises.
Header parse_header(std::string_view text, std::uint64_t data_bytes);

std::size_t element_size(NpyType type);

// Refuses shapes beyond max_npy_values.
std::size_t element_count(std::span<const std::int64_t> shape);

// As Python writes it: "(2, 3)", "(5,)".
std::string shape_text(std::span<const std::int64_t> shape);

}  // namespace tilewalk::npy
