// Chooses the instance of flash2_mma for a problem.
#include "gpu/flash2_mma_launch.cuh"

namespace tilewalk::gpu {
namespace {

template <typename T, int HeadDim>
std::string launch_masked(const KernelParams& p, CUstream_st* stream, const TraceBuffers* buffers) {
  if (p.mask.map.ones_before) return flash2_mma::launch_one<T, HeadDim, true>(p, stream, buffers);
  return flash2_mma::launch_one<T, HeadDim, false>(p, stream, buffers);
}

template <typename T>
std::string launch_sized(const KernelParams& p, CUstream_st* stream, const TraceBuffers* buffers) {
  if (p.d <= 64) return launch_masked<T, 64>(p, stream, buffers);
  if (p.d <= 128) return launch_masked<T, 128>(p, stream, buffers);
  return launch_masked<T, 256>(p, stream, buffers);
}

}  // namespace

std::string launch_flash2_mma(const KernelParams& params, DType type, CUstream_st* stream,
                              const TraceBuffers* buffers) {
  if (std::string why = flash2_mma::refusal(params, type); !why.empty()) return why;
  if (type == DType::f16) return launch_sized<__half>(params, stream, buffers);
  return launch_sized<__nv_bfloat16>(params, stream, buffers);
}

}  // namespace tilewalk::gpu
