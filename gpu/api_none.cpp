// Built where there is no CUDA compiler: every question about a GPU is answered in words.
#include "gpu/api.h"

namespace tilewalk::gpu {
namespace {

const char* const reason = "no CUDA device: this tilewalk was built without a CUDA compiler";

template <typename Result>
Result unavailable() {
  Result result;
  result.end = RunEnd::unavailable;
  result.error = reason;
  return result;
}

}  // namespace

DeviceInfo device_info() {
  DeviceInfo info;
  info.reason = reason;
  return info;
}

KernelRun run_kernel(const KernelRow&, const Plan&, const Inputs&, bool, std::string_view) {
  return unavailable<KernelRun>();
}

Repeats repeat_kernel(const KernelRow&, const Plan&, const Inputs&, int) { return unavailable<Repeats>(); }

CounterRun count_kernel(const KernelRow&, const Plan&) { return unavailable<CounterRun>(); }

BenchRun time_kernels(std::span<const KernelRow* const>, std::span<const std::shared_ptr<const Plan>>, int,
                      double) {
  return unavailable<BenchRun>();
}

DeviceBest measure_device(tilewalk::DType) { return unavailable<DeviceBest>(); }

}  // namespace tilewalk::gpu
