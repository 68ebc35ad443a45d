// The host's side of a kernel run: device memory, launches with their checks, and fetching a trace.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <memory>
#include <string>
#include <type_traits>

#include "gpu/device_job.h"
#include "gpu/scalar_math.cuh"

namespace tilewalk::gpu {

struct DeviceError {
  JobEnd end;
  std::string text;
};

// Throws DeviceError: "doing: what CUDA says".
inline void check(cudaError_t status, const std::string& doing) {
  if (status == cudaSuccess) return;
  throw DeviceError{JobEnd::unavailable, doing + ": " + cudaGetErrorString(status)};
}

class Device {
 public:
  // `needed`: bytes that all allocations together will take. Throws when the device has fewer.
  void require_memory(std::uint64_t needed) const;

  void* allocate(std::uint64_t bytes);
  template <typename U>
  U* allocate_filled(const std::vector<U>& values) {
    auto* memory = static_cast<U*>(allocate(values.size() * sizeof(U)));
    copy_to(memory, values.data(), values.size() * sizeof(U));
    return memory;
  }
  void copy_to(void* to, const void* from, std::uint64_t bytes) const {
    if (bytes) check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copying to the GPU");
  }
  void copy_from(void* to, const void* from, std::uint64_t bytes) const {
    if (bytes) check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying from the GPU");
  }
  template <typename U>
  std::vector<U> fetch(const U* from, std::uint64_t count) const {
    std::vector<U> values(count);
    copy_from(values.data(), from, count * sizeof(U));
    return values;
  }

 private:
  struct Free {
    void operator()(void* memory) const { cudaFree(memory); }
  };
  std::vector<std::unique_ptr<void, Free>> memory_;
};

struct Grid {
  std::int64_t ctas;
  std::size_t shared_bytes;
};

// What the launch of a traced kernel can leave behind, a CTA.
struct TraceSize {
  std::int64_t moves, tiles;
  std::vector<std::pair<std::int64_t, std::int64_t>> kept;  // rows, columns of each quantity
};

// Runs the kernels of one job, traced or not.
class Launcher {
 public:
  explicit Launcher(const DeviceJob& job) : job_(job) {}

  template <typename Body>
  void run(const char* name, const Grid& grid, const TraceSize& size, const KernelParams& params,
           const TileParams& tiling) {
    if (grid.ctas == 0) {
      traces.emplace_back();
    } else if (job_.traced) {
      run_traced(name, traced_kernel<Body>, grid, size, params, tiling);
    } else {
      launch(name, kernel<Body>, grid, params, tiling);
    }
  }

  std::vector<LaunchTrace> traces;

 private:
  using TracedKernel = void (*)(KernelParams, TileParams, TraceBuffers);
  void run_traced(const char* name, TracedKernel entry, const Grid& grid, const TraceSize& size,
                  const KernelParams& params, const TileParams& tiling);

  template <typename... Args>
  void launch(const char* name, void (*entry)(Args...), const Grid& grid,
              const std::common_type_t<Args>&... args) {
    allow_shared_memory(name, reinterpret_cast<const void*>(entry), grid);
    entry<<<static_cast<unsigned>(grid.ctas), scalar_threads, grid.shared_bytes>>>(args...);
    check(cudaGetLastError(), std::string("launching ") + name);
    check(cudaDeviceSynchronize(), std::string("running ") + name);
  }

  static void allow_shared_memory(const char* name, const void* kernel, const Grid& grid);
  static LaunchTrace prepare(const Grid& grid, const TraceSize& size);
  static TraceBuffers to_device(const LaunchTrace& trace, Device& memory);
  static void fetch(LaunchTrace& trace, const TraceBuffers& buffers, const Grid& grid, const Device& memory);

  const DeviceJob& job_;
};

// The launchers of the rungs, each beside its kernels.
void launch_standard_naive(const DeviceJob& job, const KernelParams& params, Launcher& launcher);
void launch_flash1_scalar(const DeviceJob& job, const KernelParams& params, Launcher& launcher);
void launch_flash2_scalar(const DeviceJob& job, const KernelParams& params, Launcher& launcher);

// Calls run(T(), std::integral_constant<Fault, fault>()). Faults exist in f16 only: they are for the tests.
template <Fault... faults, typename Run>
void with_type_and_fault(const DeviceJob& job, Run run) {
  if (job.fault == Fault::none) {
    const std::integral_constant<Fault, Fault::none> sound{};
    if (job.dtype == DType::f32) return run(float(), sound);
    if (job.dtype == DType::bf16) return run(__nv_bfloat16(), sound);
    return run(__half(), sound);
  }
  bool found = false;
  const auto try_one = [&](auto fault) {
    if (job.fault != decltype(fault)::value) return;
    found = true;
    run(__half(), fault);
  };
  (try_one(std::integral_constant<Fault, faults>()), ...);
  if (!found || job.dtype != DType::f16)
    throw DeviceError{JobEnd::refused,
                      "--fault: broken kernels exist in f16 only, and not every rung has every fault"};
}

}  // namespace tilewalk::gpu
