// Element types of tensors in HBM, and rounding to them. On chip, values are held as float.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tilewalk {

enum class DType : std::uint8_t { f16, bf16, f32 };

constexpr std::uint64_t size_of(DType type) { return type == DType::f32 ? 4 : 2; }

constexpr std::string_view name_of(DType type) {
  switch (type) {
    case DType::f16: return "f16";
    case DType::bf16: return "bf16";
    case DType::f32: return "f32";
  }
  return "";
}

std::optional<DType> dtype_named(std::string_view name);

// Distance between 1 and the next larger value: 2^-10, 2^-7, 2^-23.
double epsilon_of(DType type);

// Rounds to the nearest value of the type, ties to even; overflow gives infinity, NaN stays NaN.
float rounded(float value, DType type);
void round_in_place(std::span<float> values, DType type);

}  // namespace tilewalk
