// A GPU beside the model: a kernel run now, or one recorded earlier, held against the model on a thread of
// its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sim/tensor_bytes.h"
#include "viz/divergence.h"
#include "viz/header_request.h"
#include "viz/platform.h"

namespace tilewalk::viz {

struct GpuCheck {
  std::string kernel, fault, origin;  // origin: the device, the driver and the day
  std::shared_ptr<const Plan> plan;
  RunRequest request;  // of the run that it is held against
  Divergence divergence;
  std::vector<TensorBytes> bytes;
  std::string malformed;  // a record of the kernel that fits no tile; or ""

  bool bytes_equal() const;
  bool agrees() const;
  bool is_of(const RunFacts& facts) const;  // the same problem, blocks and inputs
};

struct GpuStatus {
  bool busy = false;
  double progress = 0;
  std::string error;  // one line
  std::shared_ptr<const GpuCheck> check;
};

// Names of the recorded runs that are part of the program; and of the kernels that could run now.
std::vector<std::string> recorded_runs();
struct GpuKernel {
  std::string name, algorithm;
};
std::vector<GpuKernel> gpu_kernels();

// Whether there is a GPU, and why not. Asked once.
struct GpuDevice {
  bool present = false;
  std::string words;  // its name, or the reason
};
const GpuDevice& gpu_device();

class GpuJob {
 public:
  explicit GpuJob(std::function<void()> wake, WorkMode mode = default_work_mode)
      : wake_(std::move(wake)), mode_(mode) {}
  ~GpuJob() { leave(); }
  GpuJob(const GpuJob&) = delete;
  GpuJob& operator=(const GpuJob&) = delete;

  // A name of recorded_runs(), or a file. What went before is left.
  void open(std::string name_or_path);
  void run(std::string kernel, std::shared_ptr<const RunFacts> facts);
  GpuStatus status() const;
  bool wait(std::chrono::milliseconds limit);

  // In slices: does what there is to do, whole, for it is short. On threads it does nothing.
  void work();

 private:
  void begin(std::function<GpuCheck()> task);
  void carry_out(const std::function<GpuCheck()>& task);
  void leave();
  Progress progress();

  std::function<void()> wake_;
  WorkMode mode_;
  std::function<GpuCheck()> waiting_;  // in slices: to be done
  mutable std::mutex mutex_;
  GpuStatus status_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace tilewalk::viz
