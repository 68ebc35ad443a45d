// Element types and the arithmetic of one number. As in the model: values are float on chip; what a 16-bit
// matrix unit would read is rounded to the element type first.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace tilewalk::gpu {

__device__ inline float minus_infinity() { return __int_as_float(0xff800000); }

__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(__half x) { return __half2float(x); }
__device__ inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }

template <typename T>
__device__ T from_float(float x);
template <>
__device__ inline float from_float<float>(float x) {
  return x;
}
template <>
__device__ inline __half from_float<__half>(float x) {
  return __float2half_rn(x);
}
template <>
__device__ inline __nv_bfloat16 from_float<__nv_bfloat16>(float x) {
  return __float2bfloat16_rn(x);
}

template <typename T>
__device__ float rounded(float x) {
  return to_float(from_float<T>(x));
}

// Below this exp is subnormal and becomes 0, as in the model (sim/softmax.h) and in ex2.approx.ftz.
__device__ inline float exp_flushed(float x) { return x < -87.33654f ? 0.0f : expf(x); }

// The larger of two; NaN wins, as it must reach the row's result.
__device__ inline float larger(float a, float b) { return isnan(a) ? a : isnan(b) || b > a ? b : a; }

// What scores are measured against: the maximum, or 0 where no key has been seen, since -inf - -inf is NaN.
__device__ inline float base_of(float m) { return m == minus_infinity() ? 0.0f : m; }

}  // namespace tilewalk::gpu
