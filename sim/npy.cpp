#include "sim/npy.h"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "sim/npy_dict.h"
#include "sim/npy_header.h"
#include "sim/npy_refuse.h"

namespace tilewalk {
namespace {

using namespace npy;

static_assert(std::endian::native == std::endian::little, "values are copied as they lie in the file");

template <class Function>
NpyArray with_name(std::string_view name, Function parse) {
  try {
    return parse();
  } catch (const RequestError& fault) {
    throw RequestError(printable(name, false) + ": " + fault.what());
  }
}

// ---- Values ----

float to_float(std::uint16_t bits, std::size_t) {
  return static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
}

float to_float(float value, std::size_t) { return value; }

float to_float(double value, std::size_t position) {
  if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) {
    refuse("element " + std::to_string(position) + " does not fit float32 (beyond 3.4e38)",
           "scale the array, then save it with np.save(file, arr.astype(np.float32))");
  }
  return static_cast<float>(value);
}

// Appends the elements in `data`, a whole number of them, to `values`.
template <class Element>
void decode_as(std::string_view data, std::vector<float>& values) {
  for (std::size_t at = 0; at < data.size(); at += sizeof(Element)) {
    Element element;
    std::memcpy(&element, data.data() + at, sizeof(Element));
    values.push_back(to_float(element, values.size()));
  }
}

void decode(std::string_view data, NpyArray& array) {
  switch (array.type) {
    case NpyType::f16: return decode_as<std::uint16_t>(data, array.values);
    case NpyType::f32: return decode_as<float>(data, array.values);
    case NpyType::f64: return decode_as<double>(data, array.values);
  }
}

// ---- Reading ----

NpyArray array_without_values(Header header) {
  NpyArray array{std::move(header.shape), header.type, {}};
  array.values.reserve(header.count);
  return array;
}

NpyArray parse(std::string_view bytes) {
  const Preamble preamble = parse_preamble(bytes.substr(0, max_preamble_bytes), bytes.size());
  const std::string_view data = bytes.substr(preamble.data_at());
  const std::string_view header = bytes.substr(preamble.header_at, preamble.header_bytes);
  NpyArray array = array_without_values(parse_header(header, data.size()));
  decode(data, array);
  return array;
}

std::string read_bytes(std::ifstream& file, std::size_t count) {
  std::string bytes(count, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(count))) {
    refuse("reading it failed, or it changed meanwhile", "try again, or copy it to another place");
  }
  return bytes;
}

std::uint64_t size_of(const std::filesystem::path& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (status.type() == std::filesystem::file_type::not_found)
    refuse("there is no such file", "check the path");
  if (failed)
    refuse("it cannot be looked at (" + failed.message() + ")", "check the path and its permissions");
  if (status.type() == std::filesystem::file_type::directory)
    refuse("it is a folder", "name a .npy file in it");
  // A pipe or a device has no size to hold the header against, and may never end.
  if (status.type() != std::filesystem::file_type::regular) {
    refuse("it is not a regular file", "save the array to a .npy file first");
  }
  const auto bytes = std::filesystem::file_size(path, failed);
  if (failed) refuse("its size is unknown (" + failed.message() + ")", "copy it to another place");
  return bytes;
}

NpyArray read(const std::filesystem::path& path) {
  constexpr std::uint64_t chunk_bytes = 1 << 20;  // a multiple of every element size
  const std::uint64_t file_bytes = size_of(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse("it cannot be opened", "check its permissions");
  const std::string start = read_bytes(file, std::min<std::uint64_t>(file_bytes, max_preamble_bytes));
  const Preamble preamble = parse_preamble(start, file_bytes);
  file.seekg(static_cast<std::streamoff>(preamble.header_at));
  std::uint64_t left = file_bytes - preamble.data_at();
  NpyArray array = array_without_values(parse_header(read_bytes(file, preamble.header_bytes), left));
  while (left > 0) {
    const std::string chunk = read_bytes(file, std::min(left, chunk_bytes));
    decode(chunk, array);
    left -= chunk.size();
  }
  return array;
}

// ---- Writing ----

// The dict as NumPy spells it, with the room it leaves for the first axis to grow to 21 digits.
std::string header_text(std::span<const std::int64_t> shape, NpyType type) {
  constexpr std::size_t growth = 21, alignment = 64, preamble = 10;
  const std::size_t first_digits = std::to_string(shape[0]).size();
  std::string text = "{'descr': '<f" + std::to_string(element_size(type)) +
                     "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  text.append(growth - first_digits, ' ');
  const std::size_t used = preamble + text.size() + 1;  // 1: the newline
  text.append(alignment - used % alignment, ' ');
  return text + '\n';
}

template <class Element>
void append(std::string& bytes, Element element) {
  bytes.append(reinterpret_cast<const char*>(&element), sizeof(Element));
}

void append_value(std::string& bytes, float value, NpyType type) {
  switch (type) {
    case NpyType::f16: return append(bytes, static_cast<Eigen::half>(value));
    case NpyType::f32: return append(bytes, value);
    case NpyType::f64: return append(bytes, static_cast<double>(value));
  }
}

void check_shape(std::span<const std::int64_t> shape, std::size_t count) {
  const bool negative = std::any_of(shape.begin(), shape.end(), [](std::int64_t axis) { return axis < 0; });
  if (shape.empty() || shape.size() > max_axes || negative || element_count(shape) != count) {
    throw std::invalid_argument("format_npy: shape " + shape_text(shape) + " does not fit " +
                                std::to_string(count) + " values");
  }
}

}  // namespace

NpyArray parse_npy(std::string_view bytes, std::string_view name) {
  return with_name(name, [&] { return parse(bytes); });
}

NpyArray read_npy(const std::filesystem::path& path) {
  return with_name(path.string(), [&] { return read(path); });
}

std::string format_npy(std::span<const std::int64_t> shape, std::span<const float> values, NpyType type) {
  check_shape(shape, values.size());
  const std::string header = header_text(shape, type);
  std::string bytes(magic);
  bytes += std::string_view("\x01\x00", 2);
  append(bytes, static_cast<std::uint16_t>(header.size()));
  bytes += header;
  bytes.reserve(bytes.size() + values.size() * element_size(type));
  for (const float value : values) append_value(bytes, value, type);
  return bytes;
}

}  // namespace tilewalk
