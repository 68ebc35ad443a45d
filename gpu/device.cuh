// The host's side of a kernel run: device memory, launches with their checks, and fetching a trace.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <memory>
#include <string>
#include <type_traits>

#include "gpu/device_error.h"
#include "gpu/device_job.h"
#include "gpu/scalar_math.cuh"

namespace tilewalk::gpu {

// Throws DeviceError: "doing: what CUDA says".
inline void check(cudaError_t status, const std::string& doing) {
  if (status == cudaSuccess) return;
  throw DeviceError{JobEnd::failed, doing + ": " + cudaGetErrorString(status)};
}

// Throws DeviceError when there is no device that can run the kernels.
cudaDeviceProp usable_device();

// Calls run() and returns what it left, or the error that it threw.
template <typename Result, typename Run>
Result guarded(Run run) {
  try {
    return run();
  } catch (const DeviceError& error) {
    cudaGetLastError();
    Result failed;
    failed.end = error.end;
    failed.error = error.text;
    return failed;
  }
}

class Device {
 public:
  // `needed`: bytes that all allocations together will take. Throws when the device has fewer.
  void require_memory(std::uint64_t needed) const;
  static std::uint64_t free_memory();

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
  // Without `wait` kernels are only queued, one after another: for timing.
  explicit Launcher(const DeviceJob& job, bool wait = true) : job_(job), wait_(wait) {}

  // A kernel of the scalar rungs.
  template <typename Body>
  void run(const char* name, const Grid& grid, const TraceSize& size, const KernelParams& params,
           const TileParams& tiling) {
    run_queued(name, grid.ctas, size, [&](const TraceBuffers* buffers) {
      if (buffers) {
        queue(name, traced_kernel<Body>, grid, params, tiling, *buffers);
      } else {
        queue(name, kernel<Body>, grid, params, tiling);
      }
    });
  }

  // Any kernel: queue(buffers) queues it, its traced build when there are buffers.
  template <typename Queue>
  void run_queued(const char* name, std::int64_t ctas, const TraceSize& size, Queue queue) {
    if (ctas == 0) {
      traces.emplace_back();
    } else if (job_.traced) {
      Device memory;
      LaunchTrace trace = prepare(ctas, size);
      const TraceBuffers buffers = to_device(trace, memory);
      queue(&buffers);
      finish(name);
      fetch(trace, buffers, memory);
      traces.push_back(std::move(trace));
    } else {
      queue(nullptr);
      if (wait_) finish(name);
    }
  }

  std::vector<LaunchTrace> traces;

 private:
  template <typename... Args>
  void queue(const char* name, void (*entry)(Args...), const Grid& grid,
             const std::common_type_t<Args>&... args) {
    allow_shared_memory(name, reinterpret_cast<const void*>(entry), grid);
    entry<<<static_cast<unsigned>(grid.ctas), scalar_threads, grid.shared_bytes>>>(args...);
    check(cudaGetLastError(), std::string("launching ") + name);
  }

  static void finish(const char* name) { check(cudaDeviceSynchronize(), std::string("running ") + name); }
  static void allow_shared_memory(const char* name, const void* kernel, const Grid& grid);
  static LaunchTrace prepare(std::int64_t ctas, const TraceSize& size);
  static TraceBuffers to_device(const LaunchTrace& trace, Device& memory);
  static void fetch(LaunchTrace& trace, const TraceBuffers& buffers, const Device& memory);

  const DeviceJob& job_;
  const bool wait_;
};

// The launchers of the rungs, each beside its kernels.
void launch_standard_naive(const DeviceJob& job, const KernelParams& params, Launcher& launcher);
void launch_flash1_scalar(const DeviceJob& job, const KernelParams& params, Launcher& launcher);
void launch_flash2_scalar(const DeviceJob& job, const KernelParams& params, Launcher& launcher);
void launch_flash2_mma(const DeviceJob& job, const KernelParams& params, Launcher& launcher);
void launch_standard_cublas(const DeviceJob& job, const KernelParams& params, Launcher& launcher);

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
