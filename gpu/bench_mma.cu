// Checks flash2_mma against float64, and times it. Stands alone: the two files are all it needs.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -I. gpu/bench_mma.cu gpu/flash2_mma.cu -o bench_mma
//   ./bench_mma check      correctness over many shapes, masks and values; 200 repeats bitwise equal
//   ./bench_mma small      a few small odd shapes, for compute-sanitizer
//   ./bench_mma time       TFLOP/s, full and causal
//   ./bench_mma issue      what mma.sync alone reaches, and beside other instructions
//   nvcc ... -shared -Xcompiler -fPIC -o libflash2_mma.so      for bench_torch.py
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "gpu/flash2_mma.h"

using namespace tilewalk::gpu;

// For bench_torch.py. Returns null when queued, else why not.
extern "C" const char* tilewalk_flash2_mma(const void* q, const void* k, const void* v, void* o, float* lse,
                                           int64_t batch, int64_t heads, int64_t kv_heads, int64_t n_q,
                                           int64_t n_kv, int64_t d, float scale, int causal, int is_bf16,
                                           void* stream) {
  KernelParams p;
  p.q = q, p.k = k, p.v = v, p.o = o, p.lse = lse;
  p.batch = batch, p.heads = heads, p.kv_heads = kv_heads, p.n_q = n_q, p.n_kv = n_kv, p.d = d,
  p.scale = scale;
  if (causal) p.mask.last = 0;
  static thread_local std::string why;
  why = launch_flash2_mma(p, is_bf16 ? DType::bf16 : DType::f16, static_cast<CUstream_st*>(stream));
  return why.empty() ? nullptr : why.c_str();
}

namespace {

void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}
#define MUST(call) must(call, #call)

void must_launch(const KernelParams& p, DType type) {
  const std::string why = launch_flash2_mma(p, type, nullptr);
  if (why.empty()) return;
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(3);
}

template <typename T>
struct Array {
  T* data = nullptr;
  int64_t size = 0;
  explicit Array(int64_t n) : size(n) { MUST(cudaMalloc(&data, std::max<int64_t>(n, 1) * sizeof(T))); }
  Array(const Array&) = delete;
  ~Array() { cudaFree(data); }
  std::vector<T> host() const {
    std::vector<T> x(size);
    MUST(cudaMemcpy(x.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
    return x;
  }
  void poison() { MUST(cudaMemset(data, 0xff, size * sizeof(T))); }  // NaN in every type used here
  void set(int64_t index, T value) {
    MUST(cudaMemcpy(data + index, &value, sizeof(T), cudaMemcpyHostToDevice));
  }
};

// -------------------------------------------------------------------------------------------------------
// inputs

__device__ uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

template <typename T>
__global__ void fill_normal(T* x, int64_t n, uint64_t seed, float factor) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < n;
       i += int64_t{gridDim.x} * blockDim.x) {
    const uint64_t bits = mixed(seed * 0x100000001b3ull + i);
    const float u = (static_cast<uint32_t>(bits) + 1.0f) * 0x1p-32f,
                angle = static_cast<uint32_t>(bits >> 32) * 0x1p-31f;
    x[i] = T(sqrtf(-2.0f * logf(fminf(u, 1.0f))) * cospif(angle) * factor);
  }
}

template <typename T>
void normal(Array<T>& x, uint64_t seed, float factor = 1.0f) {
  fill_normal<<<1024, 256>>>(x.data, x.size, seed, factor);
  MUST(cudaGetLastError());
}

// ----------------------------------------------------------------------------------------------------
// reference

// One block a row of O, in float64. With `low`, S, P and O are rounded to T on the way: "the reference in the
// same precision".
template <typename T>
__global__ void reference_row(KernelParams p, bool low, double* out, double* lse, double* most,
                              double* most_products) {
  extern __shared__ double s[];  // n_kv
  __shared__ double top, sum;
  __shared__ float products[128];  // largest scale sum |q||k| of a thread's keys
  const int64_t instance = blockIdx.y, i = blockIdx.x;
  const int64_t kv = instance / p.heads * p.kv_heads + instance % p.heads / (p.heads / p.kv_heads);
  const T* q = static_cast<const T*>(p.q) + (instance * p.n_q + i) * p.d;
  const T *k = static_cast<const T*>(p.k) + kv * p.n_kv * p.d,
          *v = static_cast<const T*>(p.v) + kv * p.n_kv * p.d;
  const auto rounded = [&](double x) {
    return low ? static_cast<double>(static_cast<float>(T(static_cast<float>(x)))) : x;
  };
  const auto visible = [&](int64_t j) {
    const int64_t distance = j - (i + p.n_kv - p.n_q);
    if (distance < p.mask.first || distance > p.mask.last) return false;
    const BlockMapParams& map = p.mask.map;
    if (!map.ones_before) return true;
    const int64_t r = i / map.block_rows, c = j / map.block_cols, w = map.cols + 1;
    return map.ones_before[(r + 1) * w + c + 1] - map.ones_before[r * w + c + 1] -
               map.ones_before[(r + 1) * w + c] + map.ones_before[r * w + c] !=
           0;
  };
  products[threadIdx.x] = 0;
  for (int64_t j = threadIdx.x; j < p.n_kv; j += blockDim.x) {
    double dot = 0, absolute = 0;
    for (int64_t c = 0; c < p.d; ++c) {
      const double product = double(float(q[c])) * double(float(k[j * p.d + c]));
      dot += product, absolute += fabs(product);
    }
    s[j] = visible(j) ? rounded(dot * p.scale) : -INFINITY;
    if (visible(j))
      products[threadIdx.x] = fmaxf(products[threadIdx.x], static_cast<float>(absolute * fabs(p.scale)));
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    double m = -INFINITY, l = 0, absolute = 0;
    for (int64_t j = 0; j < p.n_kv; ++j) {
      m = s[j] != s[j] ? s[j] : fmax(m, s[j]);
      if (m != m) break;
      if (s[j] > -INFINITY) absolute = fmax(absolute, fabs(s[j]));
    }
    for (int64_t j = 0; j < p.n_kv; ++j) l += m == -INFINITY ? 0.0 : exp(s[j] - m);
    for (int t = 1; t < 128; ++t) products[0] = fmaxf(products[0], products[t]);
    top = m, sum = l;
    if (lse) lse[instance * p.n_q + i] = l == 0 ? -INFINITY : m + log(l);
    most[instance * p.n_q + i] = absolute;
    most_products[instance * p.n_q + i] = products[0];
  }
  __syncthreads();
  for (int64_t c = threadIdx.x; c < p.d; c += blockDim.x) {
    double o = 0;
    for (int64_t j = 0; j < p.n_kv && sum != 0; ++j) {
      if (visible(j)) o += rounded(exp(s[j] - top) / sum) * double(float(v[j * p.d + c]));
    }
    out[(instance * p.n_q + i) * p.d + c] = rounded(o);
  }
}

// --------------------------------------------------------------------------------------------------------
// checks

struct Case {
  int64_t batch = 2, heads = 2, kv_heads = 2, n_q = 0, n_kv = 0, d = 64;
  const char* mask = "none";  // none, causal, window, causal+window, blocks
  float factor = 1.0f;        // Q and K are multiplied by it: 1 gives logits of a few units
  float scale = NAN;          // NAN: 1/sqrt(d)
};

template <typename T>
constexpr DType dtype_of() {
  return std::is_same<T, __half>::value ? DType::f16 : DType::bf16;
}
template <typename T>
const char* name() {
  return std::is_same<T, __half>::value ? "f16" : "bf16";
}

// Q, K, V, O of a case on the device, and the parameters that point there.
template <typename T>
struct Run {
  Array<T> q, k, v, o;
  Array<float> lse;
  Array<int64_t> map;
  KernelParams p;

  static std::vector<int64_t> prefix_sums(int64_t rows, int64_t cols) {
    std::vector<int64_t> sums((rows + 1) * (cols + 1));
    for (int64_t r = 0; r < rows; ++r) {
      int64_t ones = 0;
      for (int64_t k = 0; k < cols; ++k) {
        ones += r % 5 != 4 && (r * 7 + k * 3 + r * k) % 4 < 2;  // every fifth row of blocks sees nothing
        sums[(r + 1) * (cols + 1) + k + 1] = sums[r * (cols + 1) + k + 1] + ones;
      }
    }
    return sums;
  }

  Run(const Case& c, uint64_t seed)
      : q(c.batch * c.heads * c.n_q * c.d),
        k(c.batch * c.kv_heads * c.n_kv * c.d),
        v(k.size),
        o(q.size),
        lse(c.batch * c.heads * c.n_q),
        map((c.n_q / 24 + 2) * (c.n_kv / 40 + 2)) {
    normal(q, seed * 3, c.factor), normal(k, seed * 3 + 1, c.factor), normal(v, seed * 3 + 2);
    p.q = q.data, p.k = k.data, p.v = v.data, p.o = o.data, p.lse = lse.data;
    p.batch = c.batch, p.heads = c.heads, p.kv_heads = c.kv_heads, p.n_q = c.n_q, p.n_kv = c.n_kv, p.d = c.d;
    p.scale = std::isnan(c.scale) ? 1.0f / std::sqrt(static_cast<float>(c.d)) : c.scale;
    const std::string mask = c.mask;
    if (mask.find("causal") == 0) p.mask.last = 0;
    if (mask.find("window") != std::string::npos) p.mask.first = -36;
    if (mask == "window") p.mask.last = 36;
    if (mask == "blocks") {
      p.mask.map = {24, 40, (c.n_q + 23) / 24, (c.n_kv + 39) / 40, map.data};
      const auto sums = prefix_sums(p.mask.map.rows, p.mask.map.cols);
      MUST(cudaMemcpy(map.data, sums.data(), sums.size() * sizeof(int64_t), cudaMemcpyHostToDevice));
    }
  }
  void launch() {
    o.poison(), lse.poison();
    must_launch(p, dtype_of<T>());
    MUST(cudaDeviceSynchronize());
  }
  struct Rows {
    std::vector<double> log_sum, most_logit, most_products;
  };
  std::vector<double> reference(bool low, Rows* rows = nullptr) {
    Array<double> out(o.size), sums(lse.size), most(lse.size), products(lse.size);
    if (o.size > 0) {
      const dim3 grid(static_cast<unsigned>(p.n_q), static_cast<unsigned>(p.batch * p.heads));
      reference_row<T>
          <<<grid, 128, p.n_kv * sizeof(double)>>>(p, low, out.data, sums.data, most.data, products.data);
      MUST(cudaGetLastError());
    }
    if (rows) *rows = {sums.host(), most.host(), products.host()};
    return out.host();
  }
};

struct Verdict {
  int cases = 0, failed = 0;
  double worst = 0, worst_tight = 0;  // error over allowed error
  void fail(const std::string& what) {
    if (++failed <= 20) std::printf("FAIL %s\n", what.c_str());
  }
};

std::string described(const Case& c, const char* type) {
  char text[200];
  std::snprintf(text, sizeof text, "%s b%lld h%lld/%lld n_q %lld n_kv %lld d %lld %s x%g", type,
                (long long)c.batch, (long long)c.heads, (long long)c.kv_heads, (long long)c.n_q,
                (long long)c.n_kv, (long long)c.d, c.mask, c.factor);
  return text;
}

// The rule for 16 bit: max|out - ref| <= 2 max|low - ref| + 2 max|(ref + 0.3 - 0.3) - ref|; and one that
// stays sharp when rounding S to 16 bit makes `low` useless: what f32 scores, 16-bit P and 16-bit O may do.
template <typename T>
void check(const Case& c, uint64_t seed, Verdict& verdict) {
  ++verdict.cases;
  Run<T> run(c, seed);
  run.launch();
  typename Run<T>::Rows rows;
  const auto ref = run.reference(false, &rows), low = run.reference(true);
  const double most_logit =
      rows.most_logit.empty() ? 0 : *std::max_element(rows.most_logit.begin(), rows.most_logit.end());
  const auto out = run.o.host();
  const auto lse = run.lse.host();
  double error = 0, low_error = 0, grid_error = 0, size = 0;
  for (size_t n = 0; n < out.size(); ++n) {
    const double e = std::fabs(double(float(out[n])) - ref[n]);
    if (!(e <= error)) error = e;  // NaN stays
    low_error = std::max(low_error, std::fabs(low[n] - ref[n]));
    const float shifted = float(T(float(T(float(ref[n]) + 0.3f)) - 0.3f));
    grid_error = std::max(grid_error, std::fabs(shifted - ref[n]));
  }
  for (const T x : run.v.host()) size = std::max(size, std::fabs(double(float(x))));
  const double unit = dtype_of<T>() == DType::f16 ? 0x1p-11 : 0x1p-8;
  const double allowed = 2 * low_error + 2 * grid_error,
               tight = (1e-5 + 8 * 0x1p-24 * most_logit + 2 * unit) * size;
  if (!(error <= allowed && error <= tight)) {
    char text[100];
    std::snprintf(text, sizeof text, ": error %.3g, allowed %.3g and %.3g", error, allowed, tight);
    verdict.fail(described(c, name<T>()) + text);
  }
  if (allowed > 0) verdict.worst = std::max(verdict.worst, error / allowed);
  if (tight > 0) verdict.worst_tight = std::max(verdict.worst_tight, error / tight);
  for (size_t r = 0; r < lse.size(); ++r) {
    const double off = rows.log_sum[r] == lse[r] ? 0 : std::fabs(lse[r] - rows.log_sum[r]);
    if (!(off <= 1e-5 + 8 * 0x1p-24 * rows.most_products[r])) {
      verdict.fail(described(c, name<T>()) + ": L of row " + std::to_string(r) + " is " +
                   std::to_string(lse[r]) + ", not " + std::to_string(rows.log_sum[r]));
      break;
    }
  }
}

// A NaN or infinity in one element of Q, K or V must reach exactly the elements of O that depend on it.
template <typename T>
void check_nonfinite(const Case& c, char where, int64_t row, int64_t col, float value, Verdict& verdict) {
  ++verdict.cases;
  Run<T> run(c, 77);
  Array<T>& x = where == 'Q' ? run.q : where == 'K' ? run.k : run.v;
  x.set(row * c.d + col, T(value));  // of the first instance
  run.launch();
  const auto ref = run.reference(false);
  const auto out = run.o.host();
  for (size_t n = 0; n < out.size(); ++n) {
    const float o = float(out[n]);
    const bool same = std::isfinite(ref[n]) ? std::isfinite(o)
                      : std::isnan(ref[n])  ? std::isnan(o)
                                            : o == ref[n];
    if (same) continue;
    verdict.fail(described(c, name<T>()) + ": with " + std::to_string(value) + " at " + where + "[" +
                 std::to_string(row) + "][" + std::to_string(col) + "], O[" + std::to_string(n / c.d) + "][" +
                 std::to_string(n % c.d) + "] is " + std::to_string(o) + ", not " + std::to_string(ref[n]));
    return;
  }
}

__global__ void count_differences(const unsigned short* a, const unsigned short* b, int64_t n,
                                  unsigned long long* count) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < n;
       i += int64_t{gridDim.x} * blockDim.x) {
    if (a[i] != b[i]) atomicAdd(count, 1ull);
  }
}

template <typename T>
void check_repeats(const Case& c, int repeats, Verdict& verdict) {
  ++verdict.cases;
  Run<T> run(c, 5);
  run.launch();
  Array<T> first(run.o.size);
  Array<unsigned long long> count(1);
  MUST(cudaMemcpy(first.data, run.o.data, first.size * sizeof(T), cudaMemcpyDeviceToDevice));
  MUST(cudaMemset(count.data, 0, sizeof(unsigned long long)));
  for (int n = 0; n < repeats; ++n) {
    run.o.poison();
    must_launch(run.p, dtype_of<T>());
    count_differences<<<1024, 256>>>(reinterpret_cast<unsigned short*>(first.data),
                                     reinterpret_cast<unsigned short*>(run.o.data), first.size, count.data);
  }
  MUST(cudaDeviceSynchronize());
  if (const auto differing = count.host()[0]) {
    verdict.fail(described(c, name<T>()) + ": " + std::to_string(differing) + " elements differ in " +
                 std::to_string(repeats) + " repeats");
  }
}

// Tensors of more than 2^31 elements. The last instance of many must be what it is alone, bit for bit; and a
// long row of keys must be what two halves of it give, merged by their log-sum-exp.
template <typename T>
void check_large(Verdict& verdict) {
  size_t free_bytes = 0, all_bytes = 0;
  MUST(cudaMemGetInfo(&free_bytes, &all_bytes));
  if (free_bytes < size_t{32} << 30)
    return void(std::printf("large: skipped, it needs 32 GB of device memory\n"));
  verdict.cases += 2;
  {
    Case c;
    c.batch = 17000, c.heads = c.kv_heads = 1, c.n_q = c.n_kv = 1000, c.d = 128, c.mask = "causal";
    Run<T> all(c, 3);
    all.launch();
    const int64_t last = (c.batch - 1) * c.n_q * c.d;
    Array<T> alone(c.n_q * c.d);
    KernelParams p = all.p;
    p.batch = 1, p.lse = nullptr, p.o = alone.data;
    p.q = all.q.data + last, p.k = all.k.data + last, p.v = all.v.data + last;
    must_launch(p, dtype_of<T>());
    const auto expected = alone.host();
    std::vector<T> got(expected.size());
    MUST(cudaMemcpy(got.data(), all.o.data + last, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
    if (std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)) != 0)
      verdict.fail("the last of 17000 instances differs");
  }
  {
    Case c;
    c.batch = c.heads = c.kv_heads = 1, c.n_q = 3, c.n_kv = 17000003, c.d = 128;
    Run<T> whole(c, 4);
    whole.launch();
    const auto out = whole.o.host();
    const auto log_sum = whole.lse.host();
    const int64_t half = c.n_kv / 2;
    Array<T> o[2] = {Array<T>(whole.o.size), Array<T>(whole.o.size)};
    Array<float> lse[2] = {Array<float>(c.n_q), Array<float>(c.n_q)};
    for (int part = 0; part < 2; ++part) {
      KernelParams p = whole.p;
      p.n_kv = part == 0 ? half : c.n_kv - half, p.o = o[part].data, p.lse = lse[part].data;
      p.k = whole.k.data + part * half * c.d, p.v = whole.v.data + part * half * c.d;
      must_launch(p, dtype_of<T>());
    }
    const auto o0 = o[0].host(), o1 = o[1].host();
    const auto l0 = lse[0].host(), l1 = lse[1].host();
    for (size_t n = 0; n < out.size(); ++n) {
      const size_t r = n / c.d;
      const double w = 1 / (1 + std::exp(double(l1[r]) - l0[r])),
                   merged = w * float(o0[n]) + (1 - w) * float(o1[n]);
      const double l = l0[r] + std::log1p(std::exp(double(l1[r]) - l0[r]));
      // Tensor cores cut off what they add: a million small additions to one O drift by this much.
      if (std::fabs(float(out[n]) - merged) <= 5e-5 && std::fabs(log_sum[r] - l) <= 1e-4) continue;
      verdict.fail("17 million keys: O " + std::to_string(float(out[n])) + " L " +
                   std::to_string(log_sum[r]) + ", merged from two halves " + std::to_string(merged) + " " +
                   std::to_string(l));
      return;
    }
  }
}

template <typename U>
void upload(Array<U>& to, const std::vector<U>& from) {
  MUST(cudaMemcpy(to.data, from.data(), from.size() * sizeof(U), cudaMemcpyHostToDevice));
}

// The traced build gives the same O, records every byte it must move and no other, and keeps m, l and O of
// each tile: after the last one, O / l is the output.
template <typename T>
void check_traced(const Case& c, Verdict& verdict) {
  ++verdict.cases;
  Run<T> run(c, 8);
  run.launch();
  const auto untraced = run.o.host();
  const KernelTile tile = flash2_mma_tile(c.d);
  const int64_t q_tiles = (c.n_q + tile.block_q - 1) / tile.block_q, ctas = c.batch * c.heads * q_tiles;
  TraceBuffers b;
  b.most_tiles = static_cast<uint32_t>((c.n_kv + tile.block_kv - 1) / tile.block_kv);
  b.most_moves = 3 + 2 * b.most_tiles;
  b.shape.start[1] = tile.block_q, b.shape.start[2] = 2 * tile.block_q;
  b.shape.cols[0] = b.shape.cols[1] = 1, b.shape.cols[2] = static_cast<uint32_t>(c.d);
  b.shape.floats = static_cast<uint32_t>(tile.block_q * (2 + c.d));
  Array<MoveRecord> moves(ctas * b.most_moves);
  Array<KeptTile> tiles(ctas * b.most_tiles);
  Array<float> values(ctas * b.most_tiles * b.shape.floats);
  Array<uint32_t> move_count(ctas), tile_count(ctas);
  upload(moves, std::vector<MoveRecord>(moves.size));
  values.poison();
  b.moves = moves.data, b.tiles = tiles.data, b.values = values.data;
  b.move_count = move_count.data, b.tile_count = tile_count.data;
  run.o.poison();
  if (const std::string why = launch_flash2_mma(run.p, dtype_of<T>(), nullptr, &b); !why.empty())
    verdict.fail(why);
  MUST(cudaDeviceSynchronize());
  const auto out = run.o.host();
  if (std::memcmp(out.data(), untraced.data(), out.size() * sizeof(T)) != 0) {
    verdict.fail(described(c, name<T>()) + ": the traced build gives another O");
  }
  const auto moved = moves.host();
  const auto kept = values.host();
  const auto counts = tile_count.host();
  for (int64_t cta = 0; cta < ctas; ++cta) {
    const int64_t row = cta % q_tiles * tile.block_q, rows = std::min<int64_t>(tile.block_q, c.n_q - row);
    const bool causal = std::string(c.mask) == "causal";
    int64_t seen = causal ? std::min(c.n_kv, std::max<int64_t>(0, row + rows + c.n_kv - c.n_q)) : c.n_kv;
    const int64_t due_tiles = (seen + tile.block_kv - 1) / tile.block_kv;
    seen = std::min(c.n_kv, due_tiles * tile.block_kv);
    int64_t bytes[2] = {};
    for (uint32_t n = 0; n < b.most_moves; ++n) {
      const MoveRecord& record = moved[cta * b.most_moves + n];
      bytes[record.is_store] += record.bytes;
    }
    if (bytes[0] != 2 * c.d * (rows + 2 * seen) || bytes[1] != rows * (2 * c.d + 4) ||
        counts[cta] != due_tiles) {
      verdict.fail(described(c, name<T>()) + ": traced CTA " + std::to_string(cta) + " loads " +
                   std::to_string(bytes[0]) + " B, stores " + std::to_string(bytes[1]) + " B, has " +
                   std::to_string(counts[cta]) + " tiles");
      return;
    }
    if (due_tiles == 0) continue;
    const float* last = kept.data() + (cta * b.most_tiles + due_tiles - 1) * int64_t{b.shape.floats};
    for (int64_t n = 0; n < rows * c.d; ++n) {
      const float l = last[tile.block_q + n / c.d], o = last[2 * tile.block_q + n];
      const float got = float(out[(cta / q_tiles * c.n_q + row) * c.d + n]), due = l == 0 ? 0 : o / l;
      if (std::fabs(got - due) <= 0x1p-7f * std::fabs(due) + 1e-6f) continue;
      verdict.fail(described(c, name<T>()) + ": traced O / l is " + std::to_string(due) + ", the output " +
                   std::to_string(got));
      return;
    }
  }
}

template <typename T>
Verdict check_all() {
  Verdict verdict;
  const std::pair<int64_t, int64_t> shapes[] = {{1, 1},       {239, 1},   {799, 3},  {113, 203}, {1023, 1024},
                                                {1024, 1023}, {3, 513},   {64, 128}, {1, 339},   {108, 256},
                                                {640, 128},   {300, 300}, {0, 5},    {5, 0}};
  uint64_t seed = 1;
  for (const auto& [n_q, n_kv] : shapes) {
    for (const int64_t d : {1, 40, 59, 64, 96, 111, 128, 200, 256}) {
      for (const char* mask : {"none", "causal", "window", "causal+window", "blocks"}) {
        Case c;
        c.n_q = n_q, c.n_kv = n_kv, c.d = d, c.mask = mask, c.batch = 1;
        check<T>(c, ++seed, verdict);
      }
    }
  }
  for (const int64_t kv_heads : {6, 2, 1}) {
    for (const int64_t d : {64, 128}) {
      for (const char* mask : {"none", "causal"}) {
        Case c;
        c.heads = 6, c.kv_heads = kv_heads, c.n_q = 333, c.n_kv = 517, c.d = d, c.mask = mask;
        check<T>(c, ++seed, verdict);
      }
    }
  }
  for (const int64_t d : {64, 128, 256}) {
    for (const char* mask : {"none", "causal"}) {
      Case c;  // logits of about +-1e4: |q| |k| / sqrt(d) = factor^2 sqrt(d)
      c.n_q = 200, c.n_kv = 330, c.d = d, c.mask = mask, c.factor = std::sqrt(4000.0f);
      check<T>(c, ++seed, verdict);
      c.factor = 3.0f;
      check<T>(c, ++seed, verdict);
    }
  }
  for (const float scale : {0.0f, -0.125f, 1.0f, 1e-30f}) {
    for (const char* mask : {"none", "causal"}) {
      Case c;
      c.n_q = 140, c.n_kv = 200, c.mask = mask, c.scale = scale;
      check<T>(c, ++seed, verdict);
    }
  }
  const float nan = std::nanf(""), infinity = INFINITY;
  for (const int64_t d : {40, 59, 64, 128, 256}) {
    for (const char* mask : {"none", "causal", "window", "blocks"}) {
      Case c;
      c.n_q = 200, c.n_kv = 230, c.d = d, c.mask = mask;
      for (const int64_t row : {0, 70, 129, 199, 229}) {
        if (row < c.n_q) check_nonfinite<T>(c, 'Q', row, 3, nan, verdict);
        check_nonfinite<T>(c, 'K', row, d - 1, nan, verdict);
        check_nonfinite<T>(c, 'V', row, 17, nan, verdict);
        check_nonfinite<T>(c, 'V', row, d - 1, infinity, verdict);
        check_nonfinite<T>(c, 'V', row, 0, -infinity, verdict);
      }
    }
  }
  for (const int64_t d : {59, 64, 128, 200}) {
    for (const char* mask : {"none", "causal"}) {
      Case c;
      c.heads = 4, c.kv_heads = 2, c.n_q = 300, c.n_kv = 281, c.d = d, c.mask = mask;
      check_traced<T>(c, verdict);
    }
  }
  check_large<T>(verdict);
  for (const int64_t d : {64, 128, 256}) {
    for (const char* mask : {"none", "causal"}) {
      Case c;
      c.heads = c.kv_heads = 16, c.n_q = c.n_kv = 1100, c.d = d, c.mask = mask;
      check_repeats<T>(c, 200, verdict);
    }
  }
  return verdict;
}

int report(const char* type, const Verdict& v) {
  std::printf("%-5s %d cases, %d failed; worst error / allowed: %.3f (16-bit rule), %.3f (sharp rule)\n",
              type, v.cases, v.failed, v.worst, v.worst_tight);
  return v.failed;
}

template <typename T>
void run_small() {
  for (const int64_t d : {40, 59, 64, 128, 200}) {
    for (const char* mask : {"none", "causal", "blocks"}) {
      for (const auto& [n_q, n_kv] : {std::pair<int64_t, int64_t>{37, 70}, {131, 67}}) {
        Case c;
        c.batch = 1, c.heads = 2, c.kv_heads = 1, c.n_q = n_q, c.n_kv = n_kv, c.d = d, c.mask = mask;
        Run<T> run(c, 9);
        run.launch();
        if (c.d == 64) run.v.set(66 * c.d, T(std::nanf(""))), run.launch();
      }
    }
  }
}

// --------------------------------------------------------------------------------------------------------
// timing

// Median milliseconds of one launch, inputs rotated through three sets: more than any L2.
double median_ms(int64_t batch, int64_t heads, int64_t n, int64_t d, bool causal) {
  Case c;
  c.batch = batch, c.heads = c.kv_heads = heads, c.n_q = c.n_kv = n, c.d = d,
  c.mask = causal ? "causal" : "none";
  Run<__nv_bfloat16> sets[3] = {Run<__nv_bfloat16>(c, 1), Run<__nv_bfloat16>(c, 2), Run<__nv_bfloat16>(c, 3)};
  cudaEvent_t start, stop;
  MUST(cudaEventCreate(&start));
  MUST(cudaEventCreate(&stop));
  std::vector<float> times;
  for (int n = 0; n < 35; ++n) {
    MUST(cudaEventRecord(start));
    must_launch(sets[n % 3].p, DType::bf16);
    MUST(cudaEventRecord(stop));
    MUST(cudaEventSynchronize(stop));
    float ms = 0;
    MUST(cudaEventElapsedTime(&ms, start, stop));
    if (n >= 5) times.push_back(ms);
  }
  MUST(cudaEventDestroy(start));
  MUST(cudaEventDestroy(stop));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void time_all() {
  std::printf(
      "bf16, 16384 tokens, hidden 2048; TFLOP/s = 4 batch heads N^2 d / time, half of it when causal\n");
  for (const int64_t d : {64, 128}) {
    for (const bool causal : {false, true}) {
      for (int64_t n = 1024; n <= 16384; n *= 2) {
        const int64_t heads = 2048 / d, batch = 16384 / n;
        const double ms = median_ms(batch, heads, n, d, causal);
        const double flop = 4.0 * batch * heads * n * n * d * (causal ? 0.5 : 1.0);
        std::printf("d %3lld %-6s N %5lld: %8.3f ms %6.1f TFLOP/s\n", (long long)d,
                    causal ? "causal" : "full", (long long)n, ms, flop / ms * 1e-9);
      }
    }
  }
}

// ------------------------------------------------------------------------ what fits beside mma.sync

// 16 independent mma.sync in turn, with `Adds` additions and `Exps` exponentials after every fourth; 8 warps
// an SM.
template <int Adds, int Exps>
__global__ void __launch_bounds__(128) mix(float* out, int rounds) {
  float c[16][4] = {}, x[16], y[16];
  unsigned a[4], b[2] = {threadIdx.x * 0x3f703f01u, threadIdx.x * 0x3f603f03u};
  for (int e = 0; e < 4; ++e) a[e] = threadIdx.x * 0x3f803f01u + e * 77;
  for (int e = 0; e < 16; ++e) x[e] = threadIdx.x * -0.001f - e, y[e] = 2 * x[e];
  for (int n = 0; n < rounds; ++n) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
          " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#pragma unroll
      for (int u = i * Adds / 4; u < (i + 1) * Adds / 4; ++u)
        asm volatile("add.f32 %0, %0, %1;" : "+f"(x[u % 16]) : "f"(y[3]));
#pragma unroll
      for (int u = i * Exps / 4; u < (i + 1) * Exps / 4; ++u)
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(y[u % 16]));
    }
  }
  float sum = 0;
  for (int i = 0; i < 16; ++i) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3] + x[i] + y[i];
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

template <int Adds, int Exps>
void time_mix() {
  int sms = 0;
  MUST(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  const int ctas = 2 * sms, rounds = 10000;
  Array<float> out(ctas * 128);
  cudaEvent_t start, stop;
  MUST(cudaEventCreate(&start));
  MUST(cudaEventCreate(&stop));
  mix<Adds, Exps><<<ctas, 128>>>(out.data, rounds);
  MUST(cudaEventRecord(start));
  mix<Adds, Exps><<<ctas, 128>>>(out.data, rounds);
  MUST(cudaEventRecord(stop));
  MUST(cudaEventSynchronize(stop));
  float ms = 0;
  MUST(cudaEventElapsedTime(&ms, start, stop));
  std::printf("per mma.sync %.2f adds, %.2f exponentials: %.0f TFLOP/s\n", Adds / 4.0, Exps / 4.0,
              4096.0 * ctas * 4 * 16 * rounds / ms * 1e-9);
}

void time_mixes() {
  time_mix<0, 0>(), time_mix<4, 0>(), time_mix<8, 0>(), time_mix<12, 0>(), time_mix<16, 0>();
  time_mix<0, 2>(), time_mix<0, 4>(), time_mix<8, 2>(), time_mix<12, 2>();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return std::printf("no CUDA device\n"), 3;
  if (what == "check")
    return report("f16", check_all<__half>()) + report("bf16", check_all<__nv_bfloat16>()) != 0;
  if (what == "small") return run_small<__half>(), run_small<__nv_bfloat16>(), std::printf("ran\n"), 0;
  if (what == "time") return time_all(), 0;
  if (what == "issue") return time_mixes(), 0;
  std::printf("usage: bench_mma check | small | time | issue\n");
  return 2;
}
