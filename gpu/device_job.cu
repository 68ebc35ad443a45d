#include "gpu/device.cuh"

namespace tilewalk::gpu {
namespace {

constexpr int oldest_major = 8;  // compute capability 8.0: the oldest that the kernels are compiled for

std::string in_megabytes(std::uint64_t bytes) {
  return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

// Throws when there is no device that can run the kernels.
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

template <typename T>
T converted(float x);
template <>
float converted(float x) {
  return x;
}
template <>
__half converted(float x) {
  return __float2half(x);
}
template <>
__nv_bfloat16 converted(float x) {
  return __float2bfloat16(x);
}
float widened(float x) { return x; }
float widened(__half x) { return __half2float(x); }
float widened(__nv_bfloat16 x) { return __bfloat162float(x); }

// Sizes, in elements, of the tensors of a job.
struct Sizes {
  std::uint64_t q, kv, rows, scores;
  explicit Sizes(const KernelParams& p)
      : q(static_cast<std::uint64_t>(p.batch * p.heads * p.n_q * p.d)),
        kv(static_cast<std::uint64_t>(p.batch * p.kv_heads * p.n_kv * p.d)),
        rows(static_cast<std::uint64_t>(p.batch * p.heads * p.n_q)),
        scores(rows * static_cast<std::uint64_t>(p.n_kv)) {}
};

// Uploads the inputs, makes room for the rest, runs, and fetches O and L.
template <typename T>
class JobRunner {
 public:
  JobRunner(const DeviceJob& job, DeviceResult& result)
      : job_(job), result_(result), sizes_(job.params), params_(job.params) {}

  void run() {
    device_.require_memory(bytes_needed());
    params_.q = upload("Q", job_.q, sizes_.q);
    params_.k = upload("K", job_.k, sizes_.kv);
    params_.v = upload("V", job_.v, sizes_.kv);
    if (!job_.map.empty()) params_.mask.map.ones_before = device_.allocate_filled(job_.map);
    params_.o = place("O", sizes_.q * o_size());
    if (job_.rung == Rung::standard_naive) {
      params_.scores = place("S", sizes_.scores * sizeof(T));
      params_.weights = place("P", sizes_.scores * sizeof(T));
    } else if (job_.rung == Rung::flash1_scalar) {
      params_.row_sum = static_cast<float*>(place("l", sizes_.rows * sizeof(float)));
      params_.row_max = static_cast<float*>(place("m", sizes_.rows * sizeof(float)));
    } else {
      params_.lse = static_cast<float*>(place("L", sizes_.rows * sizeof(float)));
    }
    launch();
    fetch();
  }

 private:
  bool o_is_float() const { return job_.rung == Rung::flash1_scalar; }
  std::uint64_t o_size() const { return o_is_float() ? sizeof(float) : sizeof(T); }
  std::uint64_t bytes_needed() const {
    std::uint64_t bytes = (sizes_.q + 2 * sizes_.kv) * sizeof(T) + sizes_.q * o_size() + 8 * sizes_.rows;
    if (job_.rung == Rung::standard_naive) bytes += 2 * sizes_.scores * sizeof(T);
    return bytes + job_.map.size() * sizeof(std::int64_t);
  }

  // Tensors start out as NaN: what a kernel reads without having written it, or forgets to write, shows.
  void* place(const char* name, std::uint64_t bytes) {
    void* memory = device_.allocate(bytes);
    if (bytes) check(cudaMemset(memory, 0xff, bytes), "filling device memory");
    const auto first = reinterpret_cast<std::uint64_t>(memory);
    result_.tensors.push_back({name, first, first + bytes});
    return memory;
  }

  void* upload(const char* name, const float* values, std::uint64_t count) {
    std::vector<T> elements(count);
    for (std::uint64_t n = 0; n < count; ++n) elements[n] = converted<T>(values[n]);
    void* memory = place(name, count * sizeof(T));
    device_.copy_to(memory, elements.data(), count * sizeof(T));
    return memory;
  }

  void launch() {
    Launcher launcher(job_);
    switch (job_.rung) {
      case Rung::standard_naive: launch_standard_naive(job_, params_, launcher); break;
      case Rung::flash1_scalar: launch_flash1_scalar(job_, params_, launcher); break;
      case Rung::flash2_scalar: launch_flash2_scalar(job_, params_, launcher); break;
    }
    result_.launches = std::move(launcher.traces);
  }

  void fetch() {
    if (o_is_float()) {
      result_.o = device_.fetch(static_cast<const float*>(params_.o), sizes_.q);
    } else {
      for (const T x : device_.fetch(static_cast<const T*>(params_.o), sizes_.q))
        result_.o.push_back(widened(x));
    }
    if (params_.lse) result_.lse = device_.fetch(static_cast<const float*>(params_.lse), sizes_.rows);
  }

  const DeviceJob& job_;
  DeviceResult& result_;
  const Sizes sizes_;
  KernelParams params_;
  Device device_;
};

void run_job(const DeviceJob& job, DeviceResult& result) {
  usable_device();
  switch (job.dtype) {
    case DType::f16: return JobRunner<__half>(job, result).run();
    case DType::bf16: return JobRunner<__nv_bfloat16>(job, result).run();
    case DType::f32: return JobRunner<float>(job, result).run();
  }
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

void Device::require_memory(std::uint64_t needed) const {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free device memory");
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

void Launcher::run_traced(const char* name, TracedKernel entry, const Grid& grid, const TraceSize& size,
                          const KernelParams& params, const TileParams& tiling) {
  Device memory;
  LaunchTrace trace = prepare(grid, size);
  const TraceBuffers buffers = to_device(trace, memory);
  launch(name, entry, grid, params, tiling, buffers);
  fetch(trace, buffers, grid, memory);
  traces.push_back(std::move(trace));
}

LaunchTrace Launcher::prepare(const Grid& grid, const TraceSize& size) {
  LaunchTrace trace;
  std::uint64_t floats = 0;
  for (std::size_t n = 0; n < size.kept.size(); ++n) {
    trace.shape.start[n] = static_cast<std::uint32_t>(floats);
    trace.shape.cols[n] = static_cast<std::uint32_t>(size.kept[n].second);
    floats += static_cast<std::uint64_t>(size.kept[n].first * size.kept[n].second);
  }
  const auto ctas = static_cast<std::uint64_t>(grid.ctas);
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

void Launcher::fetch(LaunchTrace& trace, const TraceBuffers& buffers, const Grid& grid,
                     const Device& memory) {
  const auto ctas = static_cast<std::uint64_t>(grid.ctas);
  trace.moves = memory.fetch(buffers.moves, trace.moves.size());
  trace.tiles = memory.fetch(buffers.tiles, trace.tiles.size());
  trace.values = memory.fetch(buffers.values, trace.values.size());
  trace.move_count = memory.fetch(buffers.move_count, ctas);
  trace.tile_count = memory.fetch(buffers.tile_count, ctas);
}

DeviceResult run_on_device(const DeviceJob& job) {
  DeviceResult result;
  try {
    run_job(job, result);
  } catch (const DeviceError& error) {
    result = DeviceResult();
    result.end = error.end;
    result.error = error.text;
    cudaGetLastError();
  }
  return result;
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
