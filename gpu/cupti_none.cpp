// Built where the toolkit has no range profiler.
#include "gpu/cupti.h"
#include "gpu/device_error.h"

namespace tilewalk::gpu {
namespace {
[[noreturn]] void unavailable() {
  throw DeviceError{JobEnd::unavailable,
                    "hardware counters: built without CUPTI's range profiler; CUDA 13's toolkit has it"};
}
}  // namespace

struct RangeCounters::State {};

RangeCounters::RangeCounters(std::vector<const char*>) { unavailable(); }
RangeCounters::~RangeCounters() = default;
void RangeCounters::begin() { unavailable(); }
void RangeCounters::start_pass() { unavailable(); }
bool RangeCounters::end_pass() { unavailable(); }
std::vector<double> RangeCounters::values() { unavailable(); }

}  // namespace tilewalk::gpu
