// NumPy's .npy files: how Q, K and V come in and O goes out.
//
// The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
// Read: format versions 1.0, 2.0 and 3.0, little-endian float16, float32 and float64 in C order, any number
// of axes from 1 on. Everything else is refused with the line of Python that repairs it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewalk {

// The element type inside the file. (bfloat16 has no name in .npy files.)
enum class NpyType { f16, f32, f64 };

// The most elements an array may have: its axes multiplied, axes of length 0 left out. It keeps the products
// of axes that callers form far from overflow, and one array below 4 GiB of floats.
inline constexpr std::int64_t max_npy_values = std::int64_t{1} << 30;

struct NpyArray {
  std::vector<std::int64_t> shape;  // at least one axis; an axis may be 0
  NpyType type = NpyType::f32;      // as in the file; f64 becomes f32 in `values`
  std::vector<float> values;        // C order: the last axis varies fastest
};

// Parses a whole .npy file held in memory. `name` stands for it in messages.
// Throws RequestError, one line "name: fault; remedy", for anything but a complete, supported file.
NpyArray parse_npy(std::string_view bytes, std::string_view name);

// Reads a regular .npy file. Its header is held against the file's size before anything is allocated, and
// not a byte more than the header promises is read. Throws RequestError as parse_npy does.
NpyArray read_npy(const std::filesystem::path& path);

// The bytes np.save writes (version 1.0, data aligned to 64 bytes) for `values` in C order. f16 rounds to
// nearest even, and to infinity beyond 65504. Throws std::invalid_argument if the shape has no axis or a
// negative one, or does not multiply to values.size().
std::string format_npy(std::span<const std::int64_t> shape, std::span<const float> values, NpyType type);

}  // namespace tilewalk
