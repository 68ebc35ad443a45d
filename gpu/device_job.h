// What crosses between plain C++ (api_cuda.cpp) and CUDA (device_job.cu): one kernel run. C++17, no CUDA
// types.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/fault.h"
#include "gpu/params.h"
#include "gpu/tile_params.h"
#include "gpu/trace_buffers.h"

namespace tilewalk::gpu {

enum class Rung : std::uint8_t { standard_naive, standard_cublas, flash1_scalar, flash2_scalar, flash2_mma };

struct DeviceJob {
  Rung rung = Rung::flash2_scalar;
  DType dtype = DType::f16;
  Fault fault = Fault::none;
  bool traced = false;
  KernelParams params;  // sizes, scale, mask; pointers are filled in on the way
  TileParams tiling;
  int softmax_rows = 0;  // standard_naive: rows of S a CTA holds; 0: not even one fits
  const float *q = nullptr, *k = nullptr, *v = nullptr;  // on the host, exact in the element type
  std::vector<std::int64_t> map;                         // BlockMapParams::ones_before, on the host
};

// What the traced CTAs of one kernel launch left behind.
struct LaunchTrace {
  std::uint32_t most_moves = 0, most_tiles = 0;
  KeptShape shape;
  std::vector<MoveRecord> moves;
  std::vector<KeptTile> tiles;
  std::vector<float> values;
  std::vector<std::uint32_t> move_count, tile_count;  // one a CTA
};

// Where a tensor was in device memory.
struct TensorAddress {
  const char* name;
  std::uint64_t first = 0, end = 0;
};

// failed: the GPU reported an error.
enum class JobEnd : std::uint8_t { done, refused, unavailable, failed };

struct DeviceResult {
  JobEnd end = JobEnd::done;
  std::string error;          // one line, when not done
  std::vector<float> o, lse;  // lse: only where the rung writes it
  std::vector<TensorAddress> tensors;
  std::vector<LaunchTrace> launches;  // traced: one a kernel
};

DeviceResult run_on_device(const DeviceJob& job);

// Do `repeats` runs of the untraced kernel leave the same bits of O and L?
struct RepeatResult {
  JobEnd end = JobEnd::done;
  std::string error;
  int repeats = 0, different = 0;
};
RepeatResult repeat_on_device(const DeviceJob& job, int repeats);

struct DeviceFacts {
  bool present = false;
  std::string reason;  // why not
  std::string name, driver, runtime, toolkit;
  int major = 0, minor = 0, sms = 0;
  std::uint64_t memory = 0, free_memory = 0, l2 = 0, shared_per_block = 0;
};

DeviceFacts device_facts();

}  // namespace tilewalk::gpu
