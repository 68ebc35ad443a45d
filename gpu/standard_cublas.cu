#include "gpu/standard_cublas.h"

#include <cublas_v2.h>

#include <algorithm>

#include "gpu/device.cuh"
#include "gpu/library.h"
#include "gpu/row_softmax.cuh"

namespace tilewalk::gpu {
namespace {

using Create = cublasStatus_t(cublasHandle_t*);
using SetStream = cublasStatus_t(cublasHandle_t, cudaStream_t);
using Multiply = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                const void*, const void*, cudaDataType, int, long long, const void*,
                                cudaDataType, int, long long, const void*, void*, cudaDataType, int,
                                long long, int, cublasComputeType_t, cublasGemmAlgo_t);

// The three functions that are needed, and a handle. `missing` says what is not there.
struct Cublas {
  std::string missing;
  cublasHandle_t handle = nullptr;
  Multiply* multiply = nullptr;
  SetStream* set_stream = nullptr;

  Cublas() {
    const std::string version = std::to_string(CUBLAS_VER_MAJOR);
    static const Library library{"libcublas.so." + version, "libcublas.so"};
    Create* create = library.find<Create>("cublasCreate_v2");
    multiply = library.find<Multiply>("cublasGemmStridedBatchedEx");
    set_stream = library.find<SetStream>("cublasSetStream_v2");
    if (!create || !multiply || !set_stream) {
      missing =
          "standard_cublas: libcublas.so." + version + " cannot be opened; install CUDA's cuBLAS library";
    } else if (create(&handle) != CUBLAS_STATUS_SUCCESS) {
      missing = "standard_cublas: cuBLAS cannot be started on this GPU";
    }
  }
};

const Cublas& cublas() {
  static const Cublas only;
  return only;
}

cudaDataType_t data_type(DType type) {
  return type == DType::f16 ? CUDA_R_16F : type == DType::bf16 ? CUDA_R_16BF : CUDA_R_32F;
}

// A column-major matrix of the library, one every `stride` elements. A row-major matrix is its transpose.
struct Operand {
  const void* data;
  std::int64_t columns_apart, stride;
  cublasOperation_t operation = CUBLAS_OP_N;
};

// C (m x n) = alpha A B for `count` matrices, sums over k.
std::string multiply(CUstream_st* stream, DType type, std::int64_t m, std::int64_t n, std::int64_t k,
                     float alpha, const Operand& a, const Operand& b, const Operand& c, std::int64_t count) {
  const Cublas& library = cublas();
  if (!library.missing.empty()) return library.missing;
  if (std::max({m, n, k, count}) > INT32_MAX) return "standard_cublas: cuBLAS takes sizes up to 2^31 - 1";
  const auto apart = [](const Operand& x) {
    return static_cast<int>(std::max<std::int64_t>(1, x.columns_apart));
  };
  const cudaDataType_t data = data_type(type);
  const float beta = 0.0f;
  library.set_stream(library.handle, stream);
  const cublasStatus_t status =
      library.multiply(library.handle, a.operation, b.operation, static_cast<int>(m), static_cast<int>(n),
                       static_cast<int>(k), &alpha, a.data, data, apart(a), a.stride, b.data, data, apart(b),
                       b.stride, &beta, const_cast<void*>(c.data), data, apart(c), c.stride,
                       static_cast<int>(count), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  if (status == CUBLAS_STATUS_SUCCESS) return "";
  return "standard_cublas: cuBLAS refuses the product, status " + std::to_string(status);
}

const void* at(const void* tensor, std::int64_t element, DType type) {
  return static_cast<const unsigned char*>(tensor) + element * size_of(type);
}

// Both products of every head. Query head h reads K and V of head h / group, so heads h, h + group, ... are
// one batch of the library: equally far apart in every tensor.
template <typename Product>
std::string for_heads(const KernelParams& p, Product product) {
  const std::int64_t group = p.heads / p.kv_heads;
  std::string why;
  for (std::int64_t first = 0; first < group && why.empty(); ++first) why = product(first, group);
  return why;
}

std::string queue_scores(const KernelParams& p, DType type, CUstream_st* stream) {
  return for_heads(p, [&](std::int64_t first, std::int64_t group) {
    const Operand k{p.k, p.d, p.n_kv * p.d, CUBLAS_OP_T};
    const Operand q{at(p.q, first * p.n_q * p.d, type), p.d, group * p.n_q * p.d};
    const Operand s{at(p.scores, first * p.n_q * p.n_kv, type), p.n_kv, group * p.n_q * p.n_kv};
    return multiply(stream, type, p.n_kv, p.n_q, p.d, p.scale, k, q, s, p.batch * p.kv_heads);
  });
}

std::string queue_output(const KernelParams& p, DType type, CUstream_st* stream) {
  return for_heads(p, [&](std::int64_t first, std::int64_t group) {
    const Operand v{p.v, p.d, p.n_kv * p.d};
    const Operand weights{at(p.weights, first * p.n_q * p.n_kv, type), p.n_kv, group * p.n_q * p.n_kv};
    const Operand o{at(p.o, first * p.n_q * p.d, type), p.d, group * p.n_q * p.d};
    return multiply(stream, type, p.d, p.n_q, p.n_kv, 1.0f, v, weights, o, p.batch * p.kv_heads);
  });
}

template <typename T>
std::string queue_softmax(const KernelParams& p, CUstream_st* stream) {
  using namespace row_softmax;
  const std::int64_t rows = p.batch * p.heads * p.n_q;
  const std::int64_t held = std::int64_t{chunks} * chunk_size<T>;  // a thread
  const std::int64_t threads =
      std::max<std::int64_t>(32, (p.n_kv + held - 1) / held + 31 & ~std::int64_t{31});
  const std::int64_t rows_a_cta = threads == 32 ? 8 : 1, ctas = (rows + rows_a_cta - 1) / rows_a_cta;
  if (ctas > INT32_MAX) return "standard_cublas: more rows than one launch takes; choose a smaller problem";
  const dim3 block(static_cast<unsigned>(threads), static_cast<unsigned>(rows_a_cta));
  const auto grid = static_cast<unsigned>(ctas);
  const bool masked = p.mask.first != MaskParams::unbounded_first ||
                      p.mask.last != MaskParams::unbounded_last || p.mask.map.ones_before != nullptr;
  const bool aligned = p.n_kv % chunk_size<T> == 0;
  if (threads > most_threads) {
    softmax_of_long_rows<T><<<static_cast<unsigned>(rows), 1024, 0, stream>>>(p);
  } else if (aligned && masked) {
    softmax_in_registers<T, true, true><<<grid, block, 0, stream>>>(p, rows);
  } else if (aligned) {
    softmax_in_registers<T, true, false><<<grid, block, 0, stream>>>(p, rows);
  } else if (masked) {
    softmax_in_registers<T, false, true><<<grid, block, 0, stream>>>(p, rows);
  } else {
    softmax_in_registers<T, false, false><<<grid, block, 0, stream>>>(p, rows);
  }
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? "" : std::string("launching softmax: ") + cudaGetErrorString(error);
}

}  // namespace

std::string launch_row_softmax(const KernelParams& p, DType type, CUstream_st* stream) {
  switch (type) {
    case DType::f16: return queue_softmax<__half>(p, stream);
    case DType::bf16: return queue_softmax<__nv_bfloat16>(p, stream);
    case DType::f32: return queue_softmax<float>(p, stream);
  }
  return "";
}

std::string launch_standard_cublas(const KernelParams& p, DType type, CUstream_st* stream) {
  if (p.batch * p.n_q * p.d == 0) return "";
  if (p.n_kv == 0) {  // no product to leave it to
    const auto bytes = static_cast<std::size_t>(p.batch * p.heads * p.n_q * p.d * size_of(type));
    return cudaMemsetAsync(p.o, 0, bytes, stream) == cudaSuccess ? ""
                                                                 : "standard_cublas: O cannot be cleared";
  }
  std::string why = queue_scores(p, type, stream);
  if (why.empty()) why = launch_row_softmax(p, type, stream);
  if (why.empty()) why = queue_output(p, type, stream);
  return why;
}

std::string launch_matmul(const void* a, const void* b, void* c, int n, DType type, CUstream_st* stream) {
  return multiply(stream, type, n, n, n, 1.0f, {a, n, 0}, {b, n, 0}, {c, n, 0}, 1);
}

// As a rung: three launches of a library and of our own, none of which can be traced.
void launch_standard_cublas(const DeviceJob& job, const KernelParams& p, Launcher& launcher) {
  if (job.traced) throw DeviceError{JobEnd::refused, "standard_cublas: a closed library cannot be traced"};
  launcher.run_queued("standard", 1, {}, [&](const TraceBuffers*) {
    const std::string why = launch_standard_cublas(p, job.dtype, nullptr);
    if (!why.empty()) throw DeviceError{cublas().missing.empty() ? JobEnd::failed : JobEnd::unavailable, why};
  });
}

}  // namespace tilewalk::gpu
