#include "sim/npy.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "sim/error.h"

namespace tilewalk {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

const std::string good_dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
const std::string six_floats(24, '\0');

// A version 1.0 file with this header, unpadded.
std::string file_with(const std::string& dict, const std::string& data = six_floats) {
  const auto length = static_cast<std::uint16_t>(dict.size());
  return "\x93NUMPY\x01\x00"s + static_cast<char>(length & 0xff) + static_cast<char>(length >> 8) + dict +
         data;
}

std::string dict_with_dtype(const std::string& dtype) {
  return "{'descr': " + dtype + ", 'fortran_order': False, 'shape': (2, 3), }";
}

std::string dict_with_shape(const std::string& shape) {
  return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
}

// The message with which `parse` refuses; "" if it does not.
template <class Parse>
std::string refusal(Parse parse) {
  try {
    parse();
  } catch (const RequestError& error) {
    return error.what();
  }
  return "";
}

void check_message(const std::string& message, const std::string& name, const std::string& fault,
                   const std::string& remedy) {
  CAPTURE(message);
  CHECK(message.starts_with(name + ": "));
  CHECK(message.find(fault) != std::string::npos);
  REQUIRE(message.find("; ") != std::string::npos);
  CHECK(message.substr(message.find("; ")).find(remedy) != std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
}

// A folder of its own for a test, removed afterwards.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("tilewalk-npy-" + std::to_string(std::random_device{}()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path file(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// A file as np.save of NumPy 1.24 wrote it; its data begin at a multiple of 64.
std::string numpy_file(const std::string& dict, const std::string& data, std::size_t data_at = 128) {
  std::string header = dict;
  header.resize(data_at - 11, ' ');
  return "\x93NUMPY\x01\x00"s + static_cast<char>(data_at - 10) + '\0' + header + '\n' + data;
}

struct Fixture {
  std::string bytes;
  std::vector<std::int64_t> shape;
  NpyType type;
  std::vector<float> values;
};

std::vector<Fixture> numpy_fixtures() {
  const float infinity = std::numeric_limits<float>::infinity();
  return {
      // np.arange(6, dtype='<f4').reshape(2, 3)
      {numpy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                  "\0\0\0\0\0\0\x80?\0\0\0@\0\0@@\0\0\x80@\0\0\xa0@"s),
       {2, 3},
       NpyType::f32,
       {0, 1, 2, 3, 4, 5}},
      // np.array([1, -2, 65504, np.inf, 2**-24], '<f2')
      {numpy_file("{'descr': '<f2', 'fortran_order': False, 'shape': (5,), }", "\0<\0\xc0\xff{\0|\x01\0"s),
       {5},
       NpyType::f16,
       {1, -2, 65504, infinity, 0x1p-24f}},
      // np.array([[[[0.1]], [[-np.inf]]]], '<f8')
      {numpy_file("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 1, 1), }",
                  "\x9a\x99\x99\x99\x99\x99\xb9?\0\0\0\0\0\0\xf0\xff"s),
       {1, 2, 1, 1},
       NpyType::f64,
       {0.1f, -infinity}},
      // np.ones((1,) * 15, '<f2'): NumPy leaves room for the first axis to grow, and needs another 64 bytes
      {numpy_file("{'descr': '<f2', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                  "1, 1), }",
                  "\0<"s, 192),
       std::vector<std::int64_t>(15, 1),
       NpyType::f16,
       {1}},
      // np.zeros((0, 4), '<f8')
      {numpy_file("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4), }", ""),
       {0, 4},
       NpyType::f64,
       {}},
  };
}

TEST_CASE("npy: files that NumPy wrote are read") {
  for (const Fixture& fixture : numpy_fixtures()) {
    const NpyArray array = parse_npy(fixture.bytes, "q.npy");
    CHECK(array.shape == fixture.shape);
    CHECK(array.type == fixture.type);
    CHECK(array.values == fixture.values);
  }
}

TEST_CASE("npy: what is written is what NumPy writes, byte for byte") {
  for (const Fixture& fixture : numpy_fixtures()) {
    if (fixture.type == NpyType::f64 && !fixture.values.empty())
      continue;  // 0.1 as double was rounded to float
    CHECK(format_npy(fixture.shape, fixture.values, fixture.type) == fixture.bytes);
  }
}

TEST_CASE("npy: every spelling of the header that Python accepts is read") {
  const std::vector<std::string> dicts = {
      good_dict,
      "{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}",
      R"({"descr": "<f4", "fortran_order": False, "shape": (2, 3)})",
      "{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
      " \n{ 'descr' :\t'<f4' , 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , } \n\n",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 1, 3, 1, 1, 1)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}",
  };
  for (const std::string& dict : dicts) {
    CAPTURE(dict);
    CHECK(parse_npy(file_with(dict), "q.npy").values == std::vector<float>(6));
  }
}

TEST_CASE("npy: format versions 2.0 and 3.0 have a longer length field") {
  for (const char major : {'\2', '\3'}) {
    const auto length = static_cast<char>(good_dict.size());
    const std::string start = "\x93NUMPY"s + major + "\0"s + length + "\0\0\0"s;
    CHECK(parse_npy(start + good_dict + six_floats, "q.npy").shape == std::vector<std::int64_t>{2, 3});
  }
}

struct Refused {
  std::string bytes, fault, remedy;
};

std::vector<Refused> refused_files() {
  return {
      {"", "empty", "np.save"},
      {"hello, world", "not a .npy file", "np.save(file, arr)"},
      {"PK\x03\x04 and more", ".npz archive", "np.load(archive)"},
      {"\x80\x04\x95 and more", "Python pickle", "np.save(file, arr)"},
      {"\x93NUM", "ends inside its header", "np.save"},
      {"\x93NUMPY\x01", "ends inside its header", "np.save"},
      {"\x93NUMPY\x01\0\x10"s, "ends inside its header", "np.save"},
      {"\x93NUMPY\x02\0\x10\0\0"s, "ends inside its header", "np.save"},
      {"\x93NUMPY\x01\0\xff\xff{'descr'"s, "ends inside its header", "np.save"},
      {"\x93NUMPY\x02\0\xff\xff\xff\xff{'descr'"s, "ends inside its header", "np.save"},
      {"\x93NUMPY\x02\0\0\0\1\0"s + std::string(65536, ' '), "longer than 65535 bytes", "np.save"},
      {"\x93NUMPY\x04\0\x01\0 "s, "format version 4.0", "np.save"},
      {"\x93NUMPY\x01\x01\x01\0 "s, "format version 1.1", "np.save"},
      {file_with(good_dict, std::string(23, '\0')), "needs 24 bytes of data, the file has 23",
       "copy or save"},
      {file_with(good_dict, ""), "needs 24 bytes of data, the file has 0 (cut short)", "copy or save"},
      {file_with(good_dict, std::string(25, '\0')), "extra bytes at the end", "one array a file"},
      {file_with(dict_with_dtype("'>f4'")), "big-endian", "arr.astype('<f4')"},
      {file_with(dict_with_dtype("'>f2'")), "big-endian", "arr.astype('<f2')"},
      {file_with(dict_with_dtype("'|O'")), "pickled Python objects", "np.float32"},
      {file_with(dict_with_dtype("'<i4'")), "integers", "arr.astype(np.float32)"},
      {file_with(dict_with_dtype("'|u1'")), "integers", "arr.astype(np.float32)"},
      {file_with(dict_with_dtype("'|b1'")), "booleans", "arr.astype(np.float32)"},
      {file_with(dict_with_dtype("'<c8'")), "complex numbers", "arr.astype(np.float32)"},
      {file_with(dict_with_dtype("'<U7'")), "strings", "arr.astype(np.float32)"},
      {file_with(dict_with_dtype("'|S7'")), "strings", "arr.astype(np.float32)"},
      {file_with(dict_with_dtype("'<M8[ns]'")), "dates", "arr.astype(np.float32)"},
      {file_with(dict_with_dtype("'<V2'")), "bfloat16", "arr.astype(np.float32)"},
      {file_with(dict_with_dtype("'<f16'")), "long doubles", "arr.astype(np.float32)"},
      {file_with(dict_with_dtype("''")), "unknown type", "arr.astype(np.float32)"},
      {file_with(dict_with_dtype("'\xf0\x9f\x90\x8d\x01'")),
       "(dtype '????"
       "?')",
       "arr.astype(np.float32)"},
      {file_with(dict_with_dtype("[('x', '<f4'), ('y', '<f4')]")), "structured array", "arr['field']"},
      {file_with("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }"), "Fortran order",
       "np.ascontiguousarray(arr)"},
      {file_with(dict_with_shape("()"), six_floats.substr(0, 4)), "a single number", "shape (n, d)"},
      {file_with(dict_with_shape("(6)")), "a tuple of whole numbers", "np.save"},
      {file_with(dict_with_shape("(2 3)")), "a tuple of whole numbers", "np.save"},
      {file_with(dict_with_shape("(2., 3)")), "a tuple of whole numbers", "np.save"},
      {file_with(dict_with_shape("(,)")), "a tuple of whole numbers", "np.save"},
      {file_with(dict_with_shape("[2, 3]")), "a tuple of whole numbers", "np.save"},
      {file_with(dict_with_shape("(2, 3")), "a tuple of whole numbers", "np.save"},
      {file_with(dict_with_shape("((2, 3), 1)")), "a tuple of whole numbers", "np.save"},
      {file_with(dict_with_shape("(-2, 3)")), "negative axis", "np.save"},
      {file_with(dict_with_shape("(9223372036854775808,)")), "beyond 64 bits", "np.save"},
      {file_with(dict_with_shape("(99999999999999999999999,)")), "beyond 64 bits", "np.save"},
      {file_with(dict_with_shape("(4294967296, 4294967296)")), "too large (limit: 2^30 elements)", "arr[:1]"},
      {file_with(dict_with_shape("(32768, 32768, 2)")), "too large (limit: 2^30 elements)", "arr[:1]"},
      {file_with(dict_with_shape("(4294967296, 0)"), ""), "too large (limit: 2^30 elements)", "arr[:1]"},
      {file_with(dict_with_shape("(1073741824,)")), "needs 4294967296 bytes of data", "copy or save"},
      {file_with("not a dict"), "header is damaged", "np.save"},
      {file_with("[]"), "expected a dict, found '[]", "np.save"},
      {file_with("{}"), "lacks the key 'descr'", "np.save"},
      {file_with("{'descr': '<f4', 'shape': (2, 3)}"), "lacks the key 'fortran_order'", "np.save"},
      {file_with("{'descr': '<f4', 'fortran_order': False}"), "lacks the key 'shape'", "np.save"},
      {file_with("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}"),
       "the key 'descr' twice", "np.save"},
      {file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'shape': (2, 3)}"),
       "the key 'shape' twice", "np.save"},
      {file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}"), "unknown key 'x'",
       "np.save"},
      {file_with("{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}"), "expected True or False",
       "np.save"},
      {file_with("{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}"), "expected ',' or '}'",
       "np.save"},
      {file_with("{,}"), "expected a key in quotes", "np.save"},
      {file_with("{'descr"), "expected a closing quote, found 'descr'", "np.save"},
      {file_with("{'descr'"), "expected ':' after a key, found its end", "np.save"},
      {file_with(good_dict + "}"), "expected nothing after the dict, found '}'", "np.save"},
      {file_with(good_dict + '\0'), "expected nothing after the dict, found '?'", "np.save"},
      {file_with(std::string(200, '\xe9')), "found '" + std::string(40, '?') + "...'", "np.save"},
  };
}

TEST_CASE("npy: refusals name the file, the fault and the remedy") {
  for (const Refused& refused : refused_files()) {
    const std::string message = refusal([&] { parse_npy(refused.bytes, "dir/q.npy"); });
    check_message(message, "dir/q.npy", refused.fault, refused.remedy);
  }
}

TEST_CASE("npy: at most 64 axes") {
  const auto ones = [](int axes) {
    std::string shape = "(6,";
    for (int i = 1; i < axes; ++i) shape += "1,";
    return file_with(dict_with_shape(shape + ")"));
  };
  CHECK(parse_npy(ones(64), "q.npy").shape.size() == 64);
  check_message(refusal([&] { parse_npy(ones(65), "q.npy"); }), "q.npy", "more than 64 axes", "reshape");
}

TEST_CASE("npy: a float64 that float32 cannot hold is refused, infinities and NaN are kept") {
  const auto file = [](double value) {
    std::string data(8, '\0');
    std::memcpy(data.data(), &value, sizeof value);
    return file_with("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", data);
  };
  check_message(refusal([&] { parse_npy(file(-1e39), "v.npy"); }), "v.npy", "element 0 does not fit float32",
                "scale");
  CHECK(parse_npy(file(1e-300), "v.npy").values[0] == 0.0f);
  CHECK(std::isinf(parse_npy(file(HUGE_VAL), "v.npy").values[0]));
  CHECK(std::isnan(parse_npy(file(std::nan("")), "v.npy").values[0]));
}

TEST_CASE("npy: control characters in a file's name do not break the line") {
  check_message(refusal([] { parse_npy("", "a\nb.npy"); }), "a?b.npy", "empty", "np.save");
}

TEST_CASE("npy: files on disk are read, and refused, as in memory") {
  const Folder folder;
  for (const Fixture& fixture : numpy_fixtures()) {
    const NpyArray array = read_npy(folder.file("good.npy", fixture.bytes));
    CHECK(array.shape == fixture.shape);
    CHECK(array.values == fixture.values);
  }
  for (const Refused& refused : refused_files()) {
    const fs::path path = folder.file("bad.npy", refused.bytes);
    check_message(refusal([&] { read_npy(path); }), path.string(), refused.fault, refused.remedy);
  }
}

TEST_CASE("npy: what is no regular file is refused") {
  const Folder folder;
  const std::string missing = (folder.path() / "missing.npy").string();
  check_message(refusal([&] { read_npy(missing); }), missing, "no such file", "check the path");
  const std::string below = folder.file("plain", "x").string() + "/q.npy";
  check_message(refusal([&] { read_npy(below); }), below, "no such file", "check the path");
  check_message(refusal([&] { read_npy(folder.path()); }), folder.path().string(), "is a folder",
                ".npy file");
  check_message(refusal([] { read_npy("/dev/zero"); }), "/dev/zero", "not a regular file", "save the array");
}

TEST_CASE("npy: a large file is read in pieces, a huge one refused by its header alone") {
  const Folder folder;
  std::vector<float> values(600'000);  // more than two chunks of 1 MiB
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const std::vector<std::int64_t> shape = {600, 1000};
  CHECK(read_npy(folder.file("large.npy", format_npy(shape, values, NpyType::f32))).values == values);

  const fs::path huge = folder.file("huge.npy", file_with(dict_with_shape("(1099511627776,)"), ""));
  fs::resize_file(huge, std::uintmax_t{1} << 40);  // sparse
  check_message(refusal([&] { read_npy(huge); }), huge.string(), "too large", "arr[:1]");
}

TEST_CASE("npy: a shape that does not fit its values is a defect of the caller") {
  const std::vector<float> values(6);
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{}, {5}, {-2, -3}, {6, 0}}) {
    CHECK_THROWS_AS(format_npy(shape, values, NpyType::f32), std::invalid_argument);
  }
}

// ---- Properties ----

// Random float bits: normal, subnormal, infinite and NaN alike.
std::vector<float> random_values(std::mt19937& random, std::size_t count) {
  std::vector<float> values(count);
  for (float& value : values) value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
  return values;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

TEST_CASE("npy: write then read gives the same array, for random shapes and values") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> shape(1 + random() % 5);
    std::size_t count = 1;
    for (std::int64_t& axis : shape) {
      axis = random() % 5;
      count *= static_cast<std::size_t>(axis);
    }
    const std::vector<float> values = random_values(random, count);
    const NpyArray single = parse_npy(format_npy(shape, values, NpyType::f32), "o.npy");
    CHECK(single.shape == shape);
    CHECK(same_bits(single.values, values));
    // Writing as f16 rounds once; what has been rounded survives a second trip. f64 holds every float.
    const NpyArray half = parse_npy(format_npy(shape, values, NpyType::f16), "o.npy");
    CHECK(format_npy(shape, parse_npy(format_npy(shape, half.values, NpyType::f16), "o.npy").values,
                     NpyType::f16) == format_npy(shape, half.values, NpyType::f16));
    CHECK(half.type == NpyType::f16);
    const NpyArray wide = parse_npy(format_npy(shape, values, NpyType::f64), "o.npy");
    CHECK(format_npy(shape, wide.values, NpyType::f64) == format_npy(shape, values, NpyType::f64));
  }
}

TEST_CASE("npy: every f16 survives reading and writing") {
  std::string data;
  for (int bits = 0; bits < 65536; ++bits)
    data += {static_cast<char>(bits & 0xff), static_cast<char>(bits >> 8)};
  const NpyArray array =
      parse_npy(file_with("{'descr': '<f2', 'fortran_order': False, 'shape': (65536,)}", data), "q.npy");
  const std::string written = format_npy(array.shape, array.values, NpyType::f16);
  const std::string_view halves = std::string_view(written).substr(written.size() - data.size());
  int changed = 0;
  for (std::size_t bits = 0; bits < 65536; ++bits) {
    const bool nan = (bits & 0x7fff) > 0x7c00;  // a NaN stays one; its payload may change
    if (!nan) changed += halves.substr(2 * bits, 2) != std::string_view(data).substr(2 * bits, 2);
    if (nan) changed += !std::isnan(array.values[bits]);
  }
  CHECK(changed == 0);
}

// One random edit. Digits and the bytes that mean something to the format come up more often than chance.
void mutate(std::string& bytes, std::mt19937& random) {
  constexpr std::string_view telling = "0123456789(),:{}[]'\"<>f-FT\x93\xff";
  const std::size_t at =
      bytes.empty() ? 0 : random() % std::min<std::size_t>(bytes.size(), random() % 2 ? 80 : 4096);
  const char byte = random() % 2 ? telling[random() % telling.size()] : static_cast<char>(random());
  switch (random() % 6) {
    case 0: bytes.insert(at, 1 + random() % 3, byte); break;
    case 1: bytes.erase(at, 1 + random() % 8); break;
    case 2: bytes.resize(at); break;
    default:
      if (!bytes.empty()) bytes[at] = byte;
  }
}

TEST_CASE("npy: 20,000 mutated files give an array or a refusal, nothing else") {
  std::vector<std::string> seeds = {file_with(good_dict)};
  for (const Fixture& fixture : numpy_fixtures()) seeds.push_back(fixture.bytes);
  seeds.push_back(format_npy(std::vector<std::int64_t>{64, 32}, std::vector<float>(2048), NpyType::f16));
  std::mt19937 random(2);
  int parsed = 0, refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = seeds[random() % seeds.size()];
    for (auto edits = 1 + random() % 3; edits > 0; --edits) mutate(bytes, random);
    try {
      const NpyArray array = parse_npy(bytes, "fuzz.npy");
      std::int64_t product = 1;
      for (const std::int64_t axis : array.shape) product *= axis;
      REQUIRE(array.values.size() == static_cast<std::size_t>(product));
      ++parsed;
    } catch (const RequestError& error) {
      const std::string_view message = error.what();
      REQUIRE(message.starts_with("fuzz.npy: "));
      REQUIRE(message.find("; ") != std::string_view::npos);
      REQUIRE(message.size() < 400);
      ++refused;
    }
  }
  CHECK(parsed > 250);    // the mutations leave enough intact to reach the data,
  CHECK(refused > 1000);  // and break enough to reach the refusals
}

}  // namespace
}  // namespace tilewalk
