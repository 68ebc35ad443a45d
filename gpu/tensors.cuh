// The tensors of one problem in device memory, as a kernel of the ladder is given them.
#pragma once

#include "gpu/device.cuh"

namespace tilewalk::gpu {

// What a rung keeps in device memory besides Q, K, V and O.
struct Needs {
  bool scores = false;        // S and P
  bool statistics = false;    // l and m of every row
  bool lse = false;           // L of every row
  bool float_output = false;  // O in f32, between passes
};

constexpr Needs needs_of(Rung rung) {
  switch (rung) {
    case Rung::standard_naive:
    case Rung::standard_cublas: return {true, false, false, false};
    case Rung::flash1_scalar: return {false, true, false, true};
    case Rung::flash2_scalar:
    case Rung::flash2_mma: return {false, false, true, false};
  }
  return {};
}

constexpr Needs both(Needs a, Needs b) {
  return {a.scores || b.scores, a.statistics || b.statistics, a.lse || b.lse,
          a.float_output || b.float_output};
}

// S and P are scratch: several sets of tensors may share them.
struct Scores {
  void *scores = nullptr, *weights = nullptr;
};

class Tensors {
 public:
  static std::uint64_t bytes_needed(const DeviceJob& job, Needs needs);
  static std::uint64_t score_bytes(const DeviceJob& job);  // of S alone

  // Every tensor starts out as NaN: what a kernel reads without having written it, or forgets to write,
  // shows.
  Tensors(const DeviceJob& job, Needs needs, Device& device, const Scores* shared = nullptr);

  void upload(const DeviceJob& job, Device& device);  // the job's Q, K and V
  void randomize(std::uint64_t seed);                 // Q, K and V normally distributed
  void forget_output();                               // O and L become NaN
  std::vector<float> output(const Device& device) const;
  std::vector<float> log_sums(const Device& device) const;  // empty when there is no L

  KernelParams params;
  std::vector<TensorAddress> addresses;

 private:
  void* place(const char* name, std::uint64_t bytes, Device& device);

  DType type_;
  bool float_output_;
  std::uint64_t q_count_, kv_count_, row_count_;
};

// Queues the kernels of the job's rung on these tensors.
void launch_rung(const DeviceJob& job, const KernelParams& params, Launcher& launcher);

}  // namespace tilewalk::gpu
