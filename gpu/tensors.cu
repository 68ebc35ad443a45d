#include "gpu/tensors.cuh"

#include "gpu/flash2_mma.h"
#include "gpu/standard_cublas.h"

namespace tilewalk::gpu {
namespace {

std::uint64_t queries(const KernelParams& p) { return static_cast<std::uint64_t>(p.batch * p.heads * p.n_q); }
std::uint64_t keys(const KernelParams& p) {
  return static_cast<std::uint64_t>(p.batch * p.kv_heads * p.n_kv);
}

template <typename T>
T narrowed(float x);
template <>
float narrowed(float x) {
  return x;
}
template <>
__half narrowed(float x) {
  return __float2half(x);
}
template <>
__nv_bfloat16 narrowed(float x) {
  return __float2bfloat16(x);
}
float widened(float x) { return x; }
float widened(__half x) { return __half2float(x); }
float widened(__nv_bfloat16 x) { return __bfloat162float(x); }

// Calls run(T()) with the element type.
template <typename Run>
void with_type(DType type, Run run) {
  switch (type) {
    case DType::f16: return run(__half());
    case DType::bf16: return run(__nv_bfloat16());
    case DType::f32: return run(float());
  }
}

template <typename T>
void upload_as(void* to, const float* values, std::uint64_t count, const Device& device) {
  std::vector<T> elements(count);
  for (std::uint64_t n = 0; n < count; ++n) elements[n] = narrowed<T>(values[n]);
  device.copy_to(to, elements.data(), count * sizeof(T));
}

template <typename T>
std::vector<float> fetch_as(const void* from, std::uint64_t count, const Device& device) {
  std::vector<float> values;
  values.reserve(count);
  for (const T x : device.fetch(static_cast<const T*>(from), count)) values.push_back(widened(x));
  return values;
}

// Mixes the bits of x (the finalizer of SplitMix64, Steele et al. 2014).
__device__ std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

template <typename T>
__global__ void fill_normal(T* x, std::uint64_t count, std::uint64_t seed) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t n = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; n < count; n += stride) {
    const std::uint64_t bits = mixed(mixed(seed) + n);
    const float u = (static_cast<float>(bits >> 40) + 1.0f) * 0x1p-24f;  // in (0, 1]
    const float turn = static_cast<float>(bits & 0xffffff) * 0x1p-23f;
    x[n] = from_float<T>(sqrtf(-2.0f * logf(u)) * cospif(turn));
  }
}

}  // namespace

std::uint64_t Tensors::score_bytes(const DeviceJob& job) {
  return queries(job.params) * static_cast<std::uint64_t>(job.params.n_kv * size_of(job.dtype));
}

std::uint64_t Tensors::bytes_needed(const DeviceJob& job, Needs needs) {
  const auto d = static_cast<std::uint64_t>(job.params.d),
             size = static_cast<std::uint64_t>(size_of(job.dtype));
  const std::uint64_t q = queries(job.params), kv = keys(job.params);
  std::uint64_t bytes = (q + 2 * kv) * d * size + q * d * (needs.float_output ? 4 : size);
  if (needs.statistics) bytes += 8 * q;
  if (needs.lse) bytes += 4 * q;
  if (needs.scores) bytes += 2 * score_bytes(job);
  return bytes + job.map.size() * sizeof(std::int64_t);
}

Tensors::Tensors(const DeviceJob& job, Needs needs, Device& device, const Scores* shared)
    : params(job.params),
      type_(job.dtype),
      float_output_(needs.float_output),
      q_count_(queries(job.params) * static_cast<std::uint64_t>(job.params.d)),
      kv_count_(keys(job.params) * static_cast<std::uint64_t>(job.params.d)),
      row_count_(queries(job.params)) {
  const auto size = static_cast<std::uint64_t>(size_of(type_));
  params.q = place("Q", q_count_ * size, device);
  params.k = place("K", kv_count_ * size, device);
  params.v = place("V", kv_count_ * size, device);
  params.o = place("O", q_count_ * (float_output_ ? 4 : size), device);
  if (!job.map.empty()) params.mask.map.ones_before = device.allocate_filled(job.map);
  if (needs.statistics) {
    params.row_sum = static_cast<float*>(place("l", 4 * row_count_, device));
    params.row_max = static_cast<float*>(place("m", 4 * row_count_, device));
  }
  if (needs.lse) params.lse = static_cast<float*>(place("L", 4 * row_count_, device));
  if (needs.scores) {
    params.scores = shared ? shared->scores : place("S", score_bytes(job), device);
    params.weights = shared ? shared->weights : place("P", score_bytes(job), device);
  }
}

void* Tensors::place(const char* name, std::uint64_t bytes, Device& device) {
  void* memory = device.allocate(bytes);
  if (bytes) check(cudaMemset(memory, 0xff, bytes), "filling device memory");
  const auto first = reinterpret_cast<std::uint64_t>(memory);
  addresses.push_back({name, first, first + bytes});
  return memory;
}

void Tensors::upload(const DeviceJob& job, Device& device) {
  with_type(type_, [&](auto element) {
    using T = decltype(element);
    upload_as<T>(const_cast<void*>(params.q), job.q, q_count_, device);
    upload_as<T>(const_cast<void*>(params.k), job.k, kv_count_, device);
    upload_as<T>(const_cast<void*>(params.v), job.v, kv_count_, device);
  });
}

void Tensors::randomize(std::uint64_t seed) {
  with_type(type_, [&](auto element) {
    using T = decltype(element);
    const auto fill = [&](const void* tensor, std::uint64_t count, std::uint64_t which) {
      if (count)
        fill_normal<<<1024, 256>>>(static_cast<T*>(const_cast<void*>(tensor)), count, 3 * seed + which);
    };
    fill(params.q, q_count_, 0);
    fill(params.k, kv_count_, 1);
    fill(params.v, kv_count_, 2);
  });
  check(cudaGetLastError(), "filling tensors with random numbers");
}

void Tensors::forget_output() {
  const auto size = static_cast<std::uint64_t>(float_output_ ? 4 : size_of(type_));
  if (q_count_) check(cudaMemset(params.o, 0xff, q_count_ * size), "filling device memory");
  if (params.lse && row_count_) check(cudaMemset(params.lse, 0xff, 4 * row_count_), "filling device memory");
}

std::vector<float> Tensors::output(const Device& device) const {
  std::vector<float> values;
  with_type(float_output_ ? DType::f32 : type_,
            [&](auto element) { values = fetch_as<decltype(element)>(params.o, q_count_, device); });
  return values;
}

std::vector<float> Tensors::log_sums(const Device& device) const {
  if (!params.lse) return {};
  return device.fetch(static_cast<const float*>(params.lse), row_count_);
}

void launch_rung(const DeviceJob& job, const KernelParams& params, Launcher& launcher) {
  switch (job.rung) {
    case Rung::standard_naive: return launch_standard_naive(job, params, launcher);
    case Rung::standard_cublas: return launch_standard_cublas(job, params, launcher);
    case Rung::flash1_scalar: return launch_flash1_scalar(job, params, launcher);
    case Rung::flash2_scalar: return launch_flash2_scalar(job, params, launcher);
    case Rung::flash2_mma: return launch_flash2_mma(job, params, launcher);
  }
}

}  // namespace tilewalk::gpu
