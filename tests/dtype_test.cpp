#include "sim/dtype.h"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tilewalk {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// Eigen's types, which the standard's rounding rules were written into by others.
struct F16 {
  static constexpr DType type = DType::f16;
  static float widened(int pattern) {
    return static_cast<float>(
        Eigen::half(Eigen::half_impl::raw_uint16_to_half(static_cast<std::uint16_t>(pattern))));
  }
  static float rounded_by_eigen(float value) { return static_cast<float>(Eigen::half(value)); }
  static constexpr int pattern_of_infinity = 0x7c00;
};
struct Bf16 {
  static constexpr DType type = DType::bf16;
  static float widened(int pattern) { return float_of(static_cast<std::uint32_t>(pattern) << 16); }
  static float rounded_by_eigen(float value) { return static_cast<float>(Eigen::bfloat16(value)); }
  static constexpr int pattern_of_infinity = 0x7f80;
};

bool same(float a, float b) { return (std::isnan(a) && std::isnan(b)) || bits_of(a) == bits_of(b); }

std::string hex(float value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", static_cast<double>(value));
  return text;
}

// "", or the first of the values that is rounded otherwise than Eigen does, or differently the second time.
template <class Type>
std::string first_wrong(const std::vector<float>& values) {
  std::vector<float> once = values;
  round_in_place(once, Type::type);
  std::vector<float> twice = once;
  round_in_place(twice, Type::type);
  for (std::size_t n = 0; n < values.size(); ++n) {
    const float expected = Type::rounded_by_eigen(values[n]), alone = rounded(values[n], Type::type);
    if (same(once[n], expected) && same(twice[n], once[n]) && same(alone, once[n])) continue;
    return hex(values[n]) + " -> " + hex(once[n]) + " -> " + hex(twice[n]) + ", alone " + hex(alone) +
           ", Eigen " + hex(expected);
  }
  return "";
}

TEST_CASE_TEMPLATE("dtype: every value of a 16-bit type stays as it is", Type, F16, Bf16) {
  std::vector<float> all;
  for (int pattern = 0; pattern < 65536; ++pattern) all.push_back(Type::widened(pattern));
  CHECK(first_wrong<Type>(all) == "");
  int changed = 0;
  for (const float value : all) changed += !same(rounded(value, Type::type), value);
  CHECK(changed == 0);
}

// Between neighbours a < b of the type: the middle goes to the one with the even pattern, a hair less to a, a
// hair more to b. Independent of Eigen; infinity stands for the value that would follow the largest.
TEST_CASE_TEMPLATE("dtype: middles between neighbours go to the even one", Type, F16, Bf16) {
  std::vector<float> values;
  int wrong = 0;
  for (int pattern = 0; pattern < Type::pattern_of_infinity; ++pattern) {
    const float a = Type::widened(pattern), b = Type::widened(pattern + 1);
    const double next = std::isinf(b) ? 2.0 * a - Type::widened(pattern - 1) : double(b);
    const auto middle = static_cast<float>((double(a) + next) / 2);
    REQUIRE(double(middle) == (double(a) + next) / 2);
    const float less = std::nextafter(middle, 0.0f), more = std::nextafter(middle, infinity);
    for (const float sign : {1.0f, -1.0f}) {
      wrong += !same(rounded(sign * middle, Type::type), sign * (pattern % 2 ? b : a));
      wrong += !same(rounded(sign * less, Type::type), sign * a);
      wrong += !same(rounded(sign * more, Type::type), sign * b);
      values.insert(values.end(), {sign * less, sign * middle, sign * more});
    }
  }
  CHECK(wrong == 0);
  CHECK(first_wrong<Type>(values) == "");
}

TEST_CASE_TEMPLATE("dtype: a million random bit patterns are rounded as Eigen does", Type, F16, Bf16) {
  std::mt19937 random(1);
  std::vector<float> values(1'000'000);
  for (float& value : values) value = float_of(static_cast<std::uint32_t>(random()));
  // Halves have a narrow range: as many patterns again with exponents from 2^-30 to 2^20.
  for (int n = 0; n < 500'000; ++n) {
    const auto bits = static_cast<std::uint32_t>(random());
    values.push_back(float_of((bits & 0x807fffffu) | (97 + (bits >> 23) % 51) << 23));
  }
  CHECK(first_wrong<Type>(values) == "");
}

TEST_CASE("dtype: values at the edges of the types") {
  struct Row {
    float value, f16, bf16;
  };
  const Row rows[] = {
      {0.0f, 0.0f, 0.0f},
      {-0.0f, -0.0f, -0.0f},
      {infinity, infinity, infinity},
      {-infinity, -infinity, -infinity},
      {65504.0f, 65504.0f, 65536.0f},
      {0x1.ffdffep15f, 65504.0f, 65536.0f},  // just below 65520
      {65520.0f, infinity, 65536.0f},
      {-0x1.ffdffep15f, -65504.0f, -65536.0f},
      {-65520.0f, -infinity, -65536.0f},
      {0x1p16f, infinity, 0x1p16f},
      {0x1.fep127f, infinity, 0x1.fep127f},  // the largest bfloat16
      {0x1.fefffep127f, infinity, 0x1.fep127f},
      {0x1.ffp127f, infinity, infinity},
      {0x1.fffffep127f, infinity, infinity},
      {0x1p-14f, 0x1p-14f, 0x1p-14f},          // the smallest normal half
      {0x1.ffap-15f, 0x1.ff8p-15f, 0x1p-14f},  // subnormal halves are multiples of 2^-24
      {0x1.ffcp-15f, 0x1p-14f, 0x1p-14f},
      {0x1p-24f, 0x1p-24f, 0x1p-24f},
      {0x1.8p-24f, 0x1p-23f, 0x1.8p-24f},
      {0x1p-25f, 0.0f, 0x1p-25f},
      {0x1.000002p-25f, 0x1p-24f, 0x1p-25f},
      {-0x1p-25f, -0.0f, -0x1p-25f},
      {0x1p-126f, 0.0f, 0x1p-126f},
      {0x1p-133f, 0.0f, 0x1p-133f},  // the smallest bfloat16
      {0x1p-134f, 0.0f, 0.0f},
      {0x1.8p-133f, 0.0f, 0x1p-132f},
      {-0x1p-149f, -0.0f, -0.0f},
  };
  for (const Row& row : rows) {
    CAPTURE(hex(row.value));
    CHECK(hex(rounded(row.value, DType::f16)) == hex(row.f16));
    CHECK(hex(rounded(row.value, DType::bf16)) == hex(row.bf16));
    CHECK(hex(rounded(row.value, DType::f32)) == hex(row.value));
  }
}

TEST_CASE("dtype: NaN stays NaN, whatever its payload") {
  for (const std::uint32_t bits : {0x7fc00000u, 0x7f800001u, 0x7f80ffffu, 0x7fbfffffu, 0x7fffffffu}) {
    for (const std::uint32_t sign : {0u, 0x80000000u}) {
      CAPTURE(bits);
      CHECK(std::isnan(rounded(float_of(bits | sign), DType::f16)));
      CHECK(std::isnan(rounded(float_of(bits | sign), DType::bf16)));
      CHECK(bits_of(rounded(float_of(bits | sign), DType::f32)) == (bits | sign));
    }
  }
}

TEST_CASE("dtype: an array is rounded to its last element and no further") {
  for (std::size_t length = 0; length < 40; ++length) {
    for (std::size_t start = 0; start < 5; ++start) {
      std::vector<float> values(50, 1.0001f);
      round_in_place({values.data() + start, length}, DType::f16);
      for (std::size_t n = 0; n < values.size(); ++n) {
        const bool inside = n >= start && n < start + length;
        REQUIRE(values[n] == (inside ? 1.0f : 1.0001f));
      }
    }
  }
}

TEST_CASE("dtype: names and sizes") {
  struct Row {
    DType type;
    std::string name;
    std::uint64_t size;
  };
  for (const Row& row : {Row{DType::f16, "f16", 2}, {DType::bf16, "bf16", 2}, {DType::f32, "f32", 4}}) {
    CAPTURE(row.name);
    CHECK(name_of(row.type) == row.name);
    CHECK(dtype_named(row.name) == row.type);
    CHECK(size_of(row.type) == row.size);
  }
  for (const char* unknown : {"", "f8", "f64", "F16", "fp16", "half", "f16 ", "f1", "f166"}) {
    CAPTURE(unknown);
    CHECK_FALSE(dtype_named(unknown));
  }
}

TEST_CASE("dtype: epsilon is the step above 1") {
  for (const DType type : {DType::f16, DType::bf16, DType::f32}) {
    const auto next = static_cast<float>(1 + epsilon_of(type));
    CHECK(rounded(next, type) == next);
    CHECK(rounded(static_cast<float>(1 + epsilon_of(type) / 2), type) == 1.0f);  // a tie, to even
    CHECK(next > 1.0f);
  }
}

}  // namespace
}  // namespace tilewalk
