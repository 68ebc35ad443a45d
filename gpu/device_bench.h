// Times of kernels, and what the same device reaches at its best. C++17, no CUDA types.
#pragma once

#include "gpu/device_job.h"

namespace tilewalk::gpu {

struct BenchJob {
  std::vector<DeviceJob> contestants;  // one problem and element type, several rungs
  double most_seconds = 1;             // a contestant, beyond its first three rounds
  int most_rounds = 30;
};

struct ContestantTimes {
  std::string refusal;          // why it has no times, in words
  std::vector<double> seconds;  // one a round
};

struct BenchResult {
  JobEnd end = JobEnd::done;
  std::string error;
  int input_sets = 0;  // rotated: together larger than the L2
  std::vector<ContestantTimes> contestants;
};

// Contestants run in turn, each once a round, on the round's set of random inputs.
BenchResult bench_on_device(const BenchJob& job);

// Our softmax over rows of n, a GiB of them.
struct SoftmaxRate {
  std::int64_t n = 0;
  double bytes = 0;  // read and written
  std::vector<double> seconds;
};

struct DeviceRates {
  JobEnd end = JobEnd::done;
  std::string error;
  std::vector<double> matmul_seconds;  // of 8192 x 8192 x 8192 in 16 bit by cuBLAS; empty: no cuBLAS
  std::vector<double> copy_seconds;    // of copying copy_bytes within device memory
  double matmul_flops = 2.0 * 8192 * 8192 * 8192;
  double copy_bytes = 2.0 * (std::int64_t{1} << 30);  // read and written
  std::vector<SoftmaxRate> softmax;
};
DeviceRates rates_of_device(DType type);

}  // namespace tilewalk::gpu
