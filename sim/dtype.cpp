#include "sim/dtype.h"

#include <Eigen/Core>
#include <cmath>

namespace tilewalk {
namespace {

// Both roundings work on bits so that the compiler can vectorise the loop over a tile; Eigen::half, against
// which the tests compare every boundary, converts one element at a time.

// `kept` is the number of mantissa bits that stay. Adding half of the last kept place, less one unless that
// place is odd, rounds to nearest even; a carry runs into the exponent, which is what rounding up to the next
// binade is.
std::uint32_t round_mantissa(std::uint32_t bits, int kept) {
  const int dropped = 23 - kept;
  const std::uint32_t last = std::uint32_t{1} << dropped;
  const std::uint32_t bias = (last >> 1) - 1 + ((bits >> dropped) & 1);
  return (bits + bias) & ~(last - 1);
}

float round_f16(float value) {
  const auto bits = Eigen::numext::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits & 0x80000000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  // Below 2^-14 a half is a multiple of 2^-24: adding and subtracting 0.5 leaves exactly that many bits.
  const float subnormal = (Eigen::numext::bit_cast<float>(magnitude) + 0.5f) - 0.5f;
  const std::uint32_t normal = round_mantissa(magnitude, 10);
  constexpr std::uint32_t smallest_normal = 0x38800000u, overflow = 0x47800000u, infinity = 0x7f800000u;
  std::uint32_t result =
      magnitude < smallest_normal ? Eigen::numext::bit_cast<std::uint32_t>(subnormal) : normal;
  result = result >= overflow ? infinity : result;
  result = magnitude > infinity ? magnitude : result;
  return Eigen::numext::bit_cast<float>(result | sign);
}

float round_bf16(float value) {
  const auto bits = Eigen::numext::bit_cast<std::uint32_t>(value);
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return Eigen::numext::bit_cast<float>(is_nan ? bits : round_mantissa(bits, 7));
}

}  // namespace

std::optional<DType> dtype_named(std::string_view name) {
  for (const DType type : {DType::f16, DType::bf16, DType::f32}) {
    if (name_of(type) == name) return type;
  }
  return std::nullopt;
}

double epsilon_of(DType type) {
  switch (type) {
    case DType::f16: return std::ldexp(1.0, -10);
    case DType::bf16: return std::ldexp(1.0, -7);
    case DType::f32: return std::ldexp(1.0, -23);
  }
  return 0;
}

float rounded(float value, DType type) {
  switch (type) {
    case DType::f16: return round_f16(value);
    case DType::bf16: return round_bf16(value);
    case DType::f32: return value;
  }
  return value;
}

void round_in_place(std::span<float> values, DType type) {
  if (type == DType::f16) {
    for (float& x : values) x = round_f16(x);
  } else if (type == DType::bf16) {
    for (float& x : values) x = round_bf16(x);
  }
}

}  // namespace tilewalk
