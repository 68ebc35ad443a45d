// The GPU as the rest of tilewalk sees it: plain C++, which answers "no device" where there is none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace.h"

namespace tilewalk::gpu {

// A kernel of the ladder, held against the model's `algorithm`.
struct KernelRow {
  std::string_view name, algorithm, title;
  std::span<const std::string_view> faults;  // broken variants that exist (f16 only)
  bool traceable;                            // else only its output can be checked
};

std::span<const KernelRow> kernels();
// Throws RequestError with the nearest name, beginning with `flag`.
const KernelRow& kernel_named(std::string_view name, std::string_view flag = "--kernel");

// The kernel's tiling: of the scalar rungs 64 x 64, or the next smaller powers of two that fit the shared
// memory of compute capabilities 8.0 and 9.0 (a GPU with less refuses them in words). A size in `wanted` that
// is not 0 is kept; a kernel that is built for one tiling throws RequestError unless it is that.
Tiling kernel_tiling(const KernelRow& kernel, const Problem& problem, const Tiling& wanted);
bool has_fixed_tiling(const KernelRow& kernel);

// "" when the kernel takes the problem with that tiling; else why not.
std::string unsupported(const KernelRow& kernel, const Problem& problem, const Tiling& tiling,
                        std::string_view fault);

struct DeviceInfo {
  bool present = false;
  std::string reason;  // why there is none, in one line
  std::string name, driver, runtime, toolkit;
  int major = 0, minor = 0, sms = 0;
  std::uint64_t memory = 0, free_memory = 0, l2 = 0, shared_per_block = 0;
};

DeviceInfo device_info();

// FNV-1a of the sources that the kernels are made from: recorded runs say which ones they came from.
std::uint64_t kernel_source_hash();

// refused: the request was wrong; unavailable: it cannot be done here; failed: the GPU reported an error.
enum class RunEnd : std::uint8_t { done, refused, unavailable, failed };

struct KernelRun {
  RunEnd end = RunEnd::done;
  std::string error;           // one line, when not done
  std::vector<float> o, lse;   // lse: where the kernel stores it
  std::optional<Trace> trace;  // loads, stores, and what was kept after each tile
  std::string malformed;       // a record of the trace that fits no tile of the plan, in words; or ""
};

// Runs the kernel on the plan's problem with the plan's tiling. `fault`: "" or a broken variant.
KernelRun run_kernel(const KernelRow& kernel, const Plan& plan, const Inputs& inputs, bool traced,
                     std::string_view fault = "");

// How many of `repeats` runs of the untraced kernel left other bits in O or L than the first.
struct Repeats {
  RunEnd end = RunEnd::done;
  std::string error;
  int different = 0;
};
Repeats repeat_kernel(const KernelRow& kernel, const Plan& plan, const Inputs& inputs, int repeats);

// Hardware counters of the untraced kernel, on random inputs. Bytes, but for the spills (instructions); NaN
// where the device has no such counter.
struct Counters {
  double dram_read = 0, dram_write = 0;      // device memory
  double l2_read = 0, l2_write = 0;          // asked of the L2 by the SMs, whole sectors
  double into_sms = 0, out_of_sms = 0;       // between L2 and SMs: the IO model's loads and stores
  double shared = 0;                         // read and written by instructions
  double spill_loads = 0, spill_stores = 0;  // of registers to local memory
};
struct CounterRun {
  RunEnd end = RunEnd::done;
  std::string error;
  Counters cold, warm;  // after reading 512 MB of other data; right after a run of the same kernel
};
CounterRun count_kernel(const KernelRow& kernel, const Plan& plan);

// Seconds of kernels on one problem, taking turns on rotated random inputs; `plans` has one for each kernel.
struct KernelTimes {
  std::string refusal;          // why there are no times, in words
  std::vector<double> seconds;  // one a round
};
struct BenchRun {
  RunEnd end = RunEnd::done;
  std::string error;
  int input_sets = 0;
  std::vector<KernelTimes> kernels;
};
BenchRun time_kernels(std::span<const KernelRow* const> kernels,
                      std::span<const std::shared_ptr<const Plan>> plans, int rounds, double most_seconds);

// standard_cublas's softmax over rows of n: the seconds of each round, and the bytes that one reads and
// writes.
struct SoftmaxTime {
  std::int64_t n = 0;
  double bytes = 0;
  std::vector<double> seconds;
};

// What the device reaches at its best: a matrix product of 8192^3 in 16 bit (empty without cuBLAS), and a
// copy within device memory.
struct DeviceBest {
  RunEnd end = RunEnd::done;
  std::string error;
  std::vector<double> matmul_seconds, copy_seconds;
  double matmul_flops = 0, copy_bytes = 0;
  std::vector<SoftmaxTime> softmax;
};
DeviceBest measure_device(tilewalk::DType type);

}  // namespace tilewalk::gpu
