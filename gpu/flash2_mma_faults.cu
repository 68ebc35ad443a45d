// The broken variants of flash2_mma, for the tests: f16, d up to 64, traced.
#include "gpu/flash2_mma_launch.cuh"

namespace tilewalk::gpu {

std::string launch_broken_flash2_mma(const KernelParams& params, DType type, Fault fault, CUstream_st* stream,
                                     const TraceBuffers& buffers) {
  if (std::string why = flash2_mma::refusal(params, type); !why.empty()) return why;
  if (type != DType::f16 || params.d > 64 || params.mask.map.ones_before) {
    return "flash2_mma: its broken variants take f16, d up to 64 and no block mask";
  }
  std::string why = "flash2_mma: has no such fault";
  const auto try_one = [&](auto variant) {
    constexpr Fault broken = decltype(variant)::value;
    if (broken == fault) why = flash2_mma::launch_one<__half, 64, false, broken>(params, stream, &buffers);
  };
  const auto try_all = [&](auto... variants) { (try_one(variants), ...); };
  try_all(std::integral_constant<Fault, Fault::no_rescale>(),
          std::integral_constant<Fault, Fault::per_tile_softmax>(),
          std::integral_constant<Fault, Fault::skip_tail_mask>(),
          std::integral_constant<Fault, Fault::causal_off_by_one>(),
          std::integral_constant<Fault, Fault::stale_tile>(),
          std::integral_constant<Fault, Fault::double_load>(),
          std::integral_constant<Fault, Fault::missing_barrier>());
  return why;
}

}  // namespace tilewalk::gpu
