#include "sim/npy_header.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/npy_dict.h"
#include "sim/npy_refuse.h"

namespace tilewalk::npy {
namespace {

constexpr std::size_t max_header_bytes = 65535;

[[noreturn]] void refuse_magic(std::string_view start) {
  if (start.starts_with("PK\x03\x04")) {
    refuse("it is an .npz archive (or another zip), not a .npy file",
           "save one array of it with np.save(file, np.load(archive)['name'])");
  }
  const bool pickle = start.starts_with("\x80") && start.size() > 1 && start[1] <= 5;
  refuse(pickle ? "it is a Python pickle, not a .npy file" : "it is not a .npy file",
         "save the array with np.save(file, arr)");
}

// What a dtype's kind letter (NumPy's array-interface codes) stands for.
std::string kind_in_words(char kind) {
  constexpr std::pair<std::string_view, const char*> kinds[] = {
      {"b", "booleans"},  {"iu", "integers"}, {"c", "complex numbers"},
      {"SaU", "strings"}, {"Mm", "dates"},    {"V", "raw bytes (bfloat16 is saved so)"}};
  for (const auto& [letters, words] : kinds) {
    if (letters.find(kind) != std::string_view::npos) return words;
  }
  return "an unknown type";
}

[[noreturn]] void refuse_dtype(std::string_view descr) {
  const std::string shown = "dtype " + quoted(descr);
  if (descr == ">f2" || descr == ">f4" || descr == ">f8") {
    refuse("it is big-endian (" + shown + ")",
           "save it with np.save(file, arr.astype('<" + std::string(descr.substr(1)) + "'))");
  }
  if (descr == "O" || descr == "|O") {
    refuse("it holds pickled Python objects (" + shown + "), which are never loaded",
           "save it with np.save(file, np.array(arr.tolist(), np.float32))");
  }
  const bool ordered = !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
  const std::string_view code = descr.substr(ordered ? 1 : 0);
  const std::string words = code == "f16" ? "long doubles" : kind_in_words(code.empty() ? '\0' : code[0]);
  refuse("it holds " + words + " (" + shown + "), not float16, float32 or float64",
         "save it with np.save(file, arr.astype(np.float32))");
}

NpyType type_of(std::string_view descr) {
  if (descr == "<f2") return NpyType::f16;
  if (descr == "<f4") return NpyType::f32;
  if (descr == "<f8") return NpyType::f64;
  refuse_dtype(descr);
}

void check_data_bytes(const Header& header, std::uint64_t present) {
  const std::uint64_t promised = header.count * element_size(header.type);
  if (present == promised) return;
  const std::string counts = "its shape " + shape_text(header.shape) + " needs " + std::to_string(promised) +
                             " bytes of data, the file has " + std::to_string(present);
  if (present < promised) refuse(counts + " (cut short)", "copy or save it again");
  refuse(counts + " (extra bytes at the end)", "save one array a file");
}

}  // namespace

Preamble parse_preamble(std::string_view start, std::uint64_t file_bytes) {
  if (file_bytes == 0) refuse("it is empty", save_again);
  if (!start.starts_with(magic.substr(0, start.size()))) refuse_magic(start);
  const auto byte = [&](std::size_t i) -> std::size_t {
    if (i >= start.size()) refuse("it ends inside its header", save_again);
    return static_cast<unsigned char>(start[i]);
  };
  const std::size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0) {
    refuse("it has format version " + std::to_string(major) + "." + std::to_string(minor) +
               ", known are 1.0, 2.0 and 3.0",
           save_again);
  }
  Preamble preamble;
  preamble.header_at = major == 1 ? 10 : 12;
  for (std::size_t i = preamble.header_at; i-- > 8;)
    preamble.header_bytes = preamble.header_bytes << 8 | byte(i);
  if (preamble.header_bytes > file_bytes - preamble.header_at)
    refuse("it ends inside its header", save_again);
  if (preamble.header_bytes > max_header_bytes) refuse("its header is longer than 65535 bytes", save_again);
  return preamble;
}

Header parse_header(std::string_view text, std::uint64_t data_bytes) {
  Fields fields = scan_fields(text);
  Header header{std::move(fields.shape), type_of(fields.descr)};
  if (fields.fortran_order) {
    refuse("it is in Fortran order", "save it with np.save(file, np.ascontiguousarray(arr))");
  }
  if (header.shape.empty()) {
    refuse("it holds a single number, not an array", "save an array of shape (n, d)");
  }
  header.count = element_count(header.shape);
  check_data_bytes(header, data_bytes);
  return header;
}

std::size_t element_size(NpyType type) {
  switch (type) {
    case NpyType::f16: return 2;
    case NpyType::f32: return 4;
    case NpyType::f64: return 8;
  }
  throw std::invalid_argument("element_size: not an NpyType");
}

// The limit is held against the axes that are not 0, as NumPy does.
std::size_t element_count(std::span<const std::int64_t> shape) {
  std::int64_t product = 1;
  for (const std::int64_t axis : shape) {
    if (axis == 0) continue;
    if (axis > max_npy_values / product) {
      refuse("its shape " + shape_text(shape) + " is too large (limit: 2^30 elements)",
             "save a part of it, such as np.save(file, arr[:1])");
    }
    product *= axis;
  }
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  return empty ? 0 : static_cast<std::size_t>(product);
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace tilewalk::npy
