// The GPU as the rest of tilewalk sees it: plain C++, which answers "no device" where there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace.h"

namespace tilewalk::gpu {

// A kernel of the ladder whose loads, stores and tiles can be traced and held against `algorithm`'s.
struct KernelRow {
  std::string_view name, algorithm, title;
  std::span<const std::string_view> faults;  // broken variants that exist (f16 only)
};

std::span<const KernelRow> kernels();
const KernelRow& kernel_named(std::string_view name);  // throws RequestError with the nearest name

// Block sizes that fit the shared memory of every GPU from compute capability 8.0 on: 64 x 64, or the next
// smaller powers of two. A size in `wanted` that is not 0 is kept.
Tiling default_tiling(const Problem& problem, const Tiling& wanted);

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

enum class RunEnd : std::uint8_t { done, refused, unavailable };

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

}  // namespace tilewalk::gpu
