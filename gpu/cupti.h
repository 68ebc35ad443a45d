// CUPTI's range profiler (CUDA 13), opened when first needed. Throws DeviceError.
#pragma once

#include <memory>
#include <vector>

namespace tilewalk::gpu {

// Counters that one run of the hardware's own can read together, by NVIDIA's names.
class RangeCounters {
 public:
  explicit RangeCounters(std::vector<const char*> metrics);
  ~RangeCounters();
  RangeCounters(const RangeCounters&) = delete;
  RangeCounters& operator=(const RangeCounters&) = delete;

  // Calls prepare() and run(), once or, if one pass is not enough, several times; run()'s part is counted.
  // Returns one value a metric.
  template <typename Prepare, typename Run>
  std::vector<double> count(Prepare prepare, Run run) {
    begin();
    do {
      prepare();
      start_pass();
      run();
    } while (!end_pass());
    return values();
  }

 private:
  void begin();
  void start_pass();
  bool end_pass();  // true: that was the last
  std::vector<double> values();

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewalk::gpu
