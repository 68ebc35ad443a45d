#include "sim/npy.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>

#include "sim/error.h"

namespace tilewalk {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they lie in the file");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_preamble_bytes = 12;  // magic, version (2), header length (2 or 4)
constexpr std::size_t max_header_bytes = 65535;
constexpr std::size_t max_axes = 64;          // as NumPy
constexpr std::size_t chunk_bytes = 1 << 20;  // a multiple of every element size

constexpr const char* save_again = "write it again with np.save";

// Inside this file faults do not know the file's name; with_name puts it in front.
[[noreturn]] void refuse(const std::string& fault, const std::string& remedy) {
  throw RequestError(fault + "; " + remedy);
}

// `text` fit for one line of a message: no control characters, and ASCII only if asked.
std::string printable(std::string_view text, bool ascii_only) {
  std::string shown(text);
  for (char& c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (ascii_only && byte > 0x7f)) c = '?';
  }
  return shown;
}

// A piece of the file's header, quoted and cut to a length that a message can carry.
std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  return "'" + printable(text.substr(0, longest), true) + (text.size() > longest ? "...'" : "'");
}

template <class Function>
NpyArray with_name(std::string_view name, Function parse) {
  try {
    return parse();
  } catch (const RequestError& fault) {
    throw RequestError(printable(name, false) + ": " + fault.what());
  }
}

// ---- The header: a Python dict literal with exactly the keys descr, fortran_order and shape ----

struct Fields {
  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;
};

class DictScanner {
 public:
  explicit DictScanner(std::string_view text) : text_(text) {}

  Fields scan() {
    expect('{', "a dict");
    while (!take('}')) {
      scan_entry();
      if (take(',')) continue;
      expect('}', "',' or '}' between entries");
      break;
    }
    skip_space();
    if (at_ != text_.size()) malformed("nothing after the dict");
    return std::move(fields_);
  }

 private:
  void scan_entry() {
    const std::string_view key = scan_string("a key in quotes");
    expect(':', "':' after a key");
    if (key == "descr") {
      set(fields_.descr, scan_descr(), key);
    } else if (key == "fortran_order") {
      set(fields_.fortran_order, scan_bool(), key);
    } else if (key == "shape") {
      set(fields_.shape, scan_shape(), key);
    } else {
      refuse("its header has the unknown key " + quoted(key), save_again);
    }
  }

  template <class Value>
  void set(std::optional<Value>& field, Value value, std::string_view key) {
    if (field) refuse("its header has the key " + quoted(key) + " twice", save_again);
    field = std::move(value);
  }

  std::string_view scan_descr() {
    if (peek() == '[') {
      refuse("it holds a structured array",
             "save one field of it: np.save(file, arr['field'].astype(np.float32))");
    }
    return scan_string("the dtype in quotes");
  }

  std::string_view scan_string(const char* wanted) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') malformed(wanted);
    const std::size_t begin = ++at_;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) malformed("a closing quote");
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }

  bool scan_bool() {
    skip_space();
    for (const auto& [word, value] : {std::pair{std::string_view("False"), false}, {"True", true}}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    malformed("True or False for fortran_order");
  }

  std::vector<std::int64_t> scan_shape() {
    constexpr const char* wanted = "a tuple of whole numbers for shape";
    std::vector<std::int64_t> shape;
    expect('(', wanted);
    bool comma = true;  // (3) is a number in Python, (3,) a tuple
    while (!take(')')) {
      if (!comma) malformed(wanted);
      if (shape.size() == max_axes) refuse("its shape has more than 64 axes", "reshape the array");
      shape.push_back(scan_axis(wanted));
      comma = take(',');
    }
    if (shape.size() == 1 && !comma) malformed(wanted);
    return shape;
  }

  std::int64_t scan_axis(const char* wanted) {
    if (peek() == '-') refuse("its shape has a negative axis", save_again);
    const std::size_t begin = at_;
    std::int64_t axis = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      const std::int64_t digit = text_[at_] - '0';
      if (axis > (std::numeric_limits<std::int64_t>::max() - digit) / 10) {
        refuse("its shape has an axis beyond 64 bits", save_again);
      }
      axis = axis * 10 + digit;
    }
    if (at_ == begin) malformed(wanted);
    return axis;
  }

  // The next character that is not white space, or '\0' at the end.
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char wanted) {
    const bool found = peek() == wanted && at_ < text_.size();
    if (found) ++at_;
    return found;
  }

  void expect(char wanted, const char* description) {
    if (!take(wanted)) malformed(description);
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n\f\v").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  [[noreturn]] void malformed(const char* wanted) const {
    const std::string_view rest = text_.substr(at_);
    refuse("its header is damaged: expected " + std::string(wanted) + ", found " +
               (rest.empty() ? "its end" : quoted(rest)),
           save_again);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Fields fields_;
};

// ---- What the header's fields mean ----

struct Header {
  std::vector<std::int64_t> shape;
  NpyType type = NpyType::f32;
  std::size_t values = 0;
};

std::size_t element_size(NpyType type) {
  switch (type) {
    case NpyType::f16: return 2;
    case NpyType::f32: return 4;
    case NpyType::f64: return 8;
  }
  throw std::invalid_argument("element_size: not an NpyType");
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

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// The number of elements. The limit is held against the axes that are not 0, as NumPy does.
std::size_t values_in(std::span<const std::int64_t> shape) {
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

Header parse_header(std::string_view text) {
  Fields fields = DictScanner(text).scan();
  if (!fields.descr) refuse("its header lacks the key 'descr'", save_again);
  if (!fields.fortran_order) refuse("its header lacks the key 'fortran_order'", save_again);
  if (!fields.shape) refuse("its header lacks the key 'shape'", save_again);
  Header header{std::move(*fields.shape), type_of(*fields.descr)};
  if (*fields.fortran_order) {
    refuse("it is in Fortran order", "save it with np.save(file, np.ascontiguousarray(arr))");
  }
  if (header.shape.empty()) {
    refuse("it holds a single number, not an array", "save an array of shape (n, d)");
  }
  header.values = values_in(header.shape);
  return header;
}

// ---- The file around the header ----

struct Preamble {
  std::size_t header_at = 0;
  std::size_t header_bytes = 0;
};

[[noreturn]] void refuse_magic(std::string_view start) {
  if (start.starts_with("PK\x03\x04")) {
    refuse("it is an .npz archive (or another zip), not a .npy file",
           "save one array of it with np.save(file, np.load(archive)['name'])");
  }
  if (start.starts_with("\x80") && start.size() > 1 && start[1] <= 5) {
    refuse("it is a Python pickle, not a .npy file", "save the array with np.save(file, arr)");
  }
  refuse("it is not a .npy file", "save the array with np.save(file, arr)");
}

// `start`: the first bytes of the file, as many as there are up to max_preamble_bytes.
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

// Holds the bytes that follow the header against what it promises.
void check_data_bytes(const Header& header, std::uint64_t present) {
  const std::uint64_t promised = header.values * element_size(header.type);
  if (present == promised) return;
  const std::string counts = "its shape " + shape_text(header.shape) + " needs " + std::to_string(promised) +
                             " bytes of data, the file has " + std::to_string(present);
  if (present < promised) refuse(counts + " (cut short)", "copy or save it again");
  refuse(counts + " (extra bytes at the end)", "save one array a file");
}

float to_float(std::uint16_t bits, std::size_t) {
  return static_cast<float>(std::bit_cast<Eigen::half>(bits));
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

void decode(std::string_view data, NpyType type, std::vector<float>& values) {
  switch (type) {
    case NpyType::f16: return decode_as<std::uint16_t>(data, values);
    case NpyType::f32: return decode_as<float>(data, values);
    case NpyType::f64: return decode_as<double>(data, values);
  }
}

NpyArray parse(std::string_view bytes) {
  const Preamble preamble = parse_preamble(bytes.substr(0, max_preamble_bytes), bytes.size());
  Header header = parse_header(bytes.substr(preamble.header_at, preamble.header_bytes));
  const std::string_view data = bytes.substr(preamble.header_at + preamble.header_bytes);
  check_data_bytes(header, data.size());
  NpyArray array{std::move(header.shape), header.type, {}};
  array.values.reserve(header.values);
  decode(data, array.type, array.values);
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
  // A pipe or a device has no size to hold the header against, and may never end.
  if (status.type() == std::filesystem::file_type::directory)
    refuse("it is a folder", "name a .npy file in it");
  if (status.type() != std::filesystem::file_type::regular) {
    refuse("it is not a regular file", "save the array to a .npy file first");
  }
  const auto bytes = std::filesystem::file_size(path, failed);
  if (failed) refuse("its size is unknown (" + failed.message() + ")", "copy it to another place");
  return bytes;
}

NpyArray read(const std::filesystem::path& path) {
  const std::uint64_t file_bytes = size_of(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse("it cannot be opened", "check its permissions");
  const std::string start = read_bytes(file, std::min<std::uint64_t>(file_bytes, max_preamble_bytes));
  const Preamble preamble = parse_preamble(start, file_bytes);
  file.seekg(static_cast<std::streamoff>(preamble.header_at));
  Header header = parse_header(read_bytes(file, preamble.header_bytes));
  check_data_bytes(header, file_bytes - preamble.header_at - preamble.header_bytes);
  NpyArray array{std::move(header.shape), header.type, {}};
  array.values.reserve(header.values);
  std::size_t left = header.values * element_size(array.type);
  while (left > 0) {
    const std::string chunk = read_bytes(file, std::min(left, chunk_bytes));
    decode(chunk, array.type, array.values);
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
  std::array<char, sizeof(Element)> raw;
  std::memcpy(raw.data(), &element, sizeof(Element));
  bytes.append(raw.data(), raw.size());
}

void append_value(std::string& bytes, float value, NpyType type) {
  switch (type) {
    case NpyType::f16: return append(bytes, std::bit_cast<std::uint16_t>(static_cast<Eigen::half>(value)));
    case NpyType::f32: return append(bytes, value);
    case NpyType::f64: return append(bytes, static_cast<double>(value));
  }
}

void check_shape(std::span<const std::int64_t> shape, std::size_t count) {
  const bool negative = std::any_of(shape.begin(), shape.end(), [](std::int64_t axis) { return axis < 0; });
  if (shape.empty() || shape.size() > max_axes || negative || values_in(shape) != count) {
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
