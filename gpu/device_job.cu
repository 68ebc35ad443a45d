#include <cstring>

#include "gpu/tensors.cuh"

namespace tilewalk::gpu {
namespace {

constexpr int oldest_major = 8;  // compute capability 8.0: the oldest that the kernels are compiled for

std::string in_megabytes(std::uint64_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

// A job's tensors on the device, its inputs uploaded.
struct Loaded {
  Device device;
  Tensors tensors;

  explicit Loaded(const DeviceJob& job) : tensors(job, needs_of_checked(job), device) {
    tensors.upload(job, device);
  }
  std::vector<LaunchTrace> run(const DeviceJob& job) {
    Launcher launcher(job);
    launch_rung(job, tensors.params, launcher);
    return std::move(launcher.traces);
  }

 private:
  Needs needs_of_checked(const DeviceJob& job) const {
    usable_device();
    const Needs needs = needs_of(job.rung);
    device.require_memory(Tensors::bytes_needed(job, needs));
    return needs;
  }
};

DeviceResult run_job(const DeviceJob& job) {
  Loaded loaded(job);
  DeviceResult result;
  result.launches = loaded.run(job);
  result.o = loaded.tensors.output(loaded.device);
  result.lse = loaded.tensors.log_sums(loaded.device);
  result.tensors = std::move(loaded.tensors.addresses);
  return result;
}

RepeatResult run_again_and_again(const DeviceJob& job, int repeats) {
  Loaded loaded(job);
  const auto bits = [&] {
    loaded.tensors.forget_output();
    loaded.run(job);
    std::vector<float> values = loaded.tensors.output(loaded.device);
    for (const float x : loaded.tensors.log_sums(loaded.device)) values.push_back(x);
    return values;
  };
  RepeatResult result;
  const std::vector<float> first = bits();
  for (result.repeats = 1; result.repeats < repeats; ++result.repeats) {
    const std::vector<float> again = bits();
    result.different += std::memcmp(again.data(), first.data(), first.size() * sizeof(float)) != 0;
  }
  return result;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

cudaDeviceProp usable_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  int driver = 0;
  cudaDriverGetVersion(&driver);
  if (driver == 0) throw DeviceError{JobEnd::unavailable, "no CUDA device: no NVIDIA driver is installed"};
  if (status != cudaSuccess || count == 0) {
    throw DeviceError{JobEnd::unavailable, std::string("no CUDA device: ") +
                                               (status ? cudaGetErrorString(status) : "none is installed")};
  }
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0), "asking for the GPU's properties");
  if (device.major < oldest_major) {
    throw DeviceError{JobEnd::unavailable,
                      std::string(device.name) + " has compute capability " + std::to_string(device.major) +
                          "." + std::to_string(device.minor) + "; the kernels need 8.0 or newer"};
  }
  return device;
}

std::uint64_t Device::free_memory() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free device memory");
  return free;
}

void Device::require_memory(std::uint64_t needed) const {
  const std::uint64_t free = free_memory();
  if (needed <= free) return;
  throw DeviceError{JobEnd::refused, "out of device memory: " + in_megabytes(needed) + " are needed, " +
                                         in_megabytes(free) +
                                         " are free; choose a smaller --n, --heads or --batch"};
}

void* Device::allocate(std::uint64_t bytes) {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    require_memory(bytes);
  }
  check(status, "allocating " + in_megabytes(bytes) + " of device memory");
  memory_.emplace_back(memory);
  return memory;
}

void Launcher::allow_shared_memory(const char* name, const void* kernel, const Grid& grid) {
  int device = 0, most = 0;
  check(cudaGetDevice(&device), "asking for the current GPU");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "asking for shared memory");
  if (grid.shared_bytes > static_cast<std::size_t>(most)) {
    throw DeviceError{JobEnd::refused,
                      std::string("kernel ") + name + " needs " + std::to_string(grid.shared_bytes) +
                          " B of shared memory with these blocks, the GPU has " + std::to_string(most) +
                          " B; choose a smaller --block-q or --block-kv"};
  }
  if (grid.ctas > INT32_MAX) {
    throw DeviceError{JobEnd::refused,
                      std::string("kernel ") + name + " would need " + std::to_string(grid.ctas) +
                          " thread blocks, more than a grid holds; choose a larger --block-q"};
  }
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(grid.shared_bytes)),
        "setting shared memory");
}

LaunchTrace Launcher::prepare(std::int64_t cta_count, const TraceSize& size) {
  LaunchTrace trace;
  std::uint64_t floats = 0;
  for (std::size_t n = 0; n < size.kept.size(); ++n) {
    trace.shape.start[n] = static_cast<std::uint32_t>(floats);
    trace.shape.cols[n] = static_cast<std::uint32_t>(size.kept[n].second);
    floats += static_cast<std::uint64_t>(size.kept[n].first * size.kept[n].second);
  }
  const auto ctas = static_cast<std::uint64_t>(cta_count);
  const double bytes =
      double(ctas) * (double(size.moves) * sizeof(MoveRecord) + double(size.tiles) * double(floats) * 4);
  constexpr double most_bytes = 32e9;
  if (bytes > most_bytes || size.moves > UINT32_MAX || size.tiles > UINT32_MAX || floats > UINT32_MAX) {
    throw DeviceError{JobEnd::refused, "the trace would take " +
                                           in_megabytes(static_cast<std::uint64_t>(bytes)) +
                                           "; choose a smaller --n, --heads or --batch"};
  }
  trace.shape.floats = static_cast<std::uint32_t>(floats);
  trace.most_moves = static_cast<std::uint32_t>(size.moves);
  trace.most_tiles = static_cast<std::uint32_t>(size.tiles);
  trace.moves.resize(ctas * trace.most_moves);
  trace.tiles.resize(ctas * trace.most_tiles);
  trace.values.resize(ctas * trace.most_tiles * floats);
  trace.move_count.resize(ctas);
  trace.tile_count.resize(ctas);
  return trace;
}

TraceBuffers Launcher::to_device(const LaunchTrace& trace, Device& memory) {
  TraceBuffers buffers;
  buffers.moves = memory.allocate_filled(trace.moves);
  buffers.tiles = memory.allocate_filled(trace.tiles);
  buffers.values = memory.allocate_filled(trace.values);
  buffers.move_count = memory.allocate_filled(trace.move_count);
  buffers.tile_count = memory.allocate_filled(trace.tile_count);
  buffers.most_moves = trace.most_moves;
  buffers.most_tiles = trace.most_tiles;
  buffers.shape = trace.shape;
  return buffers;
}

void Launcher::fetch(LaunchTrace& trace, const TraceBuffers& buffers, const Device& memory) {
  trace.moves = memory.fetch(buffers.moves, trace.moves.size());
  trace.tiles = memory.fetch(buffers.tiles, trace.tiles.size());
  trace.values = memory.fetch(buffers.values, trace.values.size());
  trace.move_count = memory.fetch(buffers.move_count, trace.move_count.size());
  trace.tile_count = memory.fetch(buffers.tile_count, trace.tile_count.size());
}

DeviceResult run_on_device(const DeviceJob& job) {
  return guarded<DeviceResult>([&] { return run_job(job); });
}

RepeatResult repeat_on_device(const DeviceJob& job, int repeats) {
  return guarded<RepeatResult>([&] { return run_again_and_again(job, repeats); });
}

DeviceFacts device_facts() {
  DeviceFacts facts;
  facts.toolkit = version_text(CUDART_VERSION);
  try {
    const cudaDeviceProp device = usable_device();
    int driver = 0, runtime = 0;
    check(cudaDriverGetVersion(&driver), "asking for the driver's version");
    check(cudaRuntimeGetVersion(&runtime), "asking for the runtime's version");
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for free device memory");
    facts.present = true;
    facts.name = device.name;
    facts.driver = version_text(driver);
    facts.runtime = version_text(runtime);
    facts.major = device.major;
    facts.minor = device.minor;
    facts.sms = device.multiProcessorCount;
    facts.memory = total;
    facts.free_memory = free;
    facts.l2 = static_cast<std::uint64_t>(device.l2CacheSize);
    facts.shared_per_block = device.sharedMemPerBlockOptin;
  } catch (const DeviceError& error) {
    facts.reason = error.text;
  }
  return facts;
}

}  // namespace tilewalk::gpu
