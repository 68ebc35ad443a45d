// Built where there is no CUDA compiler: every question about a GPU is answered in words.
#include "gpu/api.h"

namespace tilewalk::gpu {
namespace {
const char* const reason = "no CUDA device: this tilewalk was built without a CUDA compiler";
}

DeviceInfo device_info() {
  DeviceInfo info;
  info.reason = reason;
  return info;
}

KernelRun run_kernel(const KernelRow&, const Plan&, const Inputs&, bool, std::string_view) {
  KernelRun run;
  run.end = RunEnd::unavailable;
  run.error = reason;
  return run;
}

}  // namespace tilewalk::gpu
