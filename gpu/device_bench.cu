#include "gpu/device_bench.h"

#include <algorithm>

#include "gpu/standard_cublas.h"
#include "gpu/tensors.cuh"

namespace tilewalk::gpu {
namespace {

// Keeps the GPU busy while the host queues what is to be timed: else the host's pace would be measured.
__global__ void wait_nanoseconds(std::uint64_t duration) {
  std::uint64_t start = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < duration);
}

class Stopwatch {
 public:
  Stopwatch() {
    check(cudaEventCreate(&start_), "creating an event");
    check(cudaEventCreate(&stop_), "creating an event");
  }
  ~Stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  // Seconds on the device of what run() queues.
  template <typename Run>
  double time(Run run) {
    wait_nanoseconds<<<1, 1>>>(100'000);
    check(cudaEventRecord(start_), "recording an event");
    run();
    check(cudaEventRecord(stop_), "recording an event");
    check(cudaEventSynchronize(stop_), "running a kernel");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "reading an event");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

class Bench {
 public:
  explicit Bench(const BenchJob& job) : job_(job), result_() {
    result_.contestants.resize(job.contestants.size());
    make_sets();
  }

  BenchResult run() {
    for (int round = -1; round < job_.most_rounds; ++round) {  // the first warms up
      for (std::size_t n = 0; n < job_.contestants.size(); ++n) take_turn(n, round);
    }
    result_.input_sets = static_cast<int>(sets_.size());
    return std::move(result_);
  }

 private:
  // Contestants whose S and P do not fit are out.
  void refuse_scores() {
    for (std::size_t n = 0; n < job_.contestants.size(); ++n) {
      const Needs needs = needs_of(job_.contestants[n].rung);
      if (!needs.scores) continue;
      try {
        device_.require_memory(Tensors::bytes_needed(job_.contestants[n], needs));
      } catch (const DeviceError& error) {
        result_.contestants[n].refusal = error.text;
      }
    }
  }

  // So many sets that a turn finds nothing of its inputs in the L2, and no more than fit.
  void make_sets() {
    refuse_scores();
    Needs needs{};
    for (std::size_t n = 0; n < job_.contestants.size(); ++n) {
      if (result_.contestants[n].refusal.empty()) needs = both(needs, needs_of(job_.contestants[n].rung));
    }
    const DeviceJob& any = job_.contestants.front();
    const std::uint64_t scratch = needs.scores ? 2 * Tensors::score_bytes(any) : 0;
    const std::uint64_t one = Tensors::bytes_needed(any, needs) - scratch;
    std::uint64_t sets = 4 * l2_bytes() / std::max<std::uint64_t>(one, 1) + 1;
    sets = std::clamp<std::uint64_t>(sets, 3, 64);
    while (sets > 1 && scratch + sets * one > Device::free_memory()) --sets;
    device_.require_memory(scratch + sets * one);
    if (needs.scores) scores_ = {device_.allocate(scratch / 2), device_.allocate(scratch / 2)};
    for (std::uint64_t n = 0; n < sets; ++n) {
      sets_.emplace_back(any, needs, device_, &scores_);
      sets_.back().randomize(n);
    }
  }

  static std::uint64_t l2_bytes() { return static_cast<std::uint64_t>(usable_device().l2CacheSize); }

  void take_turn(std::size_t n, int round) {
    ContestantTimes& times = result_.contestants[n];
    double so_far = 0;
    for (const double s : times.seconds) so_far += s;
    if (!times.refusal.empty() || (times.seconds.size() >= 3 && so_far > job_.most_seconds)) return;
    try {
      Launcher launcher(job_.contestants[n], false);
      const Tensors& set = sets_[turn_++ % sets_.size()];
      const double seconds = stopwatch_.time([&] { launch_rung(job_.contestants[n], set.params, launcher); });
      if (round >= 0) times.seconds.push_back(seconds);
    } catch (const DeviceError& error) {
      cudaGetLastError();
      times.refusal = error.text;
    }
  }

  const BenchJob& job_;
  BenchResult result_;
  Device device_;
  Scores scores_;
  std::vector<Tensors> sets_;
  std::size_t turn_ = 0;
  Stopwatch stopwatch_;
};

// The tensors of one 8192 x 8192 matrix product stand for those of a problem of that size: Q, K and O.
DeviceJob matmul_job(DType type) {
  DeviceJob job;
  job.rung = Rung::flash2_scalar;
  job.dtype = type;
  job.params.n_q = job.params.n_kv = job.params.d = 8192;
  return job;
}

// Seconds of each of 20 rounds, after three that are not counted.
template <typename Run>
std::vector<double> time_rounds(Stopwatch& stopwatch, Run run) {
  std::vector<double> seconds;
  for (int round = -3; round < 20; ++round) {
    const double time = stopwatch.time(run);
    if (round >= 0) seconds.push_back(time);
  }
  return seconds;
}

DeviceRates measure_rates(DType type) {
  usable_device();
  DeviceRates rates;
  Device device;
  Stopwatch stopwatch;
  Tensors matrices(matmul_job(type), {}, device);
  matrices.randomize(1);
  const KernelParams& p = matrices.params;
  if (launch_matmul(p.q, p.k, p.o, 8192, type, nullptr).empty()) {
    rates.matmul_seconds = time_rounds(stopwatch, [&] {
      const std::string why = launch_matmul(p.q, p.k, p.o, 8192, type, nullptr);
      if (!why.empty()) throw DeviceError{JobEnd::failed, why};
    });
  }
  const auto half = static_cast<std::size_t>(rates.copy_bytes / 2);
  device.require_memory(2 * half);
  void *from = device.allocate(half), *to = device.allocate(half);
  check(cudaMemset(from, 1, half), "filling device memory");
  rates.copy_seconds = time_rounds(stopwatch, [&] {
    check(cudaMemcpyAsync(to, from, half, cudaMemcpyDeviceToDevice), "copying in device memory");
  });
  for (const std::int64_t n : {1024, 2048, 4096, 8192, 16384}) {
    KernelParams rows;
    rows.n_q = static_cast<std::int64_t>(half) / (n * size_of(type));
    rows.n_kv = n;
    rows.scores = from;
    rows.weights = to;
    rates.softmax.push_back({n, rates.copy_bytes, time_rounds(stopwatch, [&] {
                               const std::string why = launch_row_softmax(rows, type, nullptr);
                               if (!why.empty()) throw DeviceError{JobEnd::failed, why};
                             })});
  }
  return rates;
}

}  // namespace

BenchResult bench_on_device(const BenchJob& job) {
  return guarded<BenchResult>([&] {
    usable_device();
    return Bench(job).run();
  });
}

DeviceRates rates_of_device(DType type) {
  return guarded<DeviceRates>([&] { return measure_rates(type); });
}

}  // namespace tilewalk::gpu
