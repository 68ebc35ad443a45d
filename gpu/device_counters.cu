#include "gpu/device_counters.h"

#include <limits>

#include "gpu/cupti.h"
#include "gpu/tensors.cuh"

namespace tilewalk::gpu {
namespace {

constexpr double sector = 32;  // bytes

// One value of a reading: its counter, and what one of it is worth.
using Place = double Reading::*;
struct Metric {
  const char* name;
  Place value;
  double unit;
};

// Counters that the hardware reads in one pass, so that nothing is run twice between writing and reading.
struct Group {
  bool optional;   // some devices lack them
  bool cold_only;  // the cache's state does not matter
  std::vector<Metric> metrics;
};

const Group groups[] = {
    {false,
     false,
     {{"dram__bytes_read.sum", &Reading::dram_read, 1},
      {"dram__bytes_write.sum", &Reading::dram_write, 1},
      {"lts__t_sectors_srcunit_tex_op_read.sum", &Reading::l2_read, sector},
      {"lts__t_sectors_srcunit_tex_op_write.sum", &Reading::l2_write, sector}}},
    {true,
     false,
     {{"l1tex__m_xbar2l1tex_read_bytes.sum", &Reading::into_sms, 1},
      {"l1tex__m_l1tex2xbar_write_bytes.sum", &Reading::out_of_sms, 1}}},
    {true, true, {{"sm__sass_data_bytes_mem_shared.sum", &Reading::shared, 1}}},
    {true,
     true,
     {{"smsp__inst_executed_op_local_ld.sum", &Reading::spill_loads, 1},
      {"smsp__inst_executed_op_local_st.sum", &Reading::spill_stores, 1}}},
};

// Reads everything; `sink` is written only if all of it is 1, which it is not.
__global__ void read_all(const uint4* data, std::uint64_t count, unsigned* sink) {
  unsigned all = ~0u;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t n = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; n < count; n += stride) {
    const uint4 x = data[n];
    all &= x.x & x.y & x.z & x.w;
  }
  if (all == ~0u) *sink = all;
}

class CounterRun {
 public:
  explicit CounterRun(const DeviceJob& job)
      : job_(job), tensors_(job, checked_needs(job), device_), other_(device_.allocate(other_bytes)) {
    tensors_.randomize(0);
    check(cudaMemset(other_, 0, other_bytes), "filling device memory");
    launch();  // loads the code
  }

  CounterResult run() {
    CounterResult result;
    for (const Group& group : groups) {
      try {
        count(group, result);
      } catch (const DeviceError& error) {
        if (!group.optional || error.end == JobEnd::failed) throw;
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        for (const Metric& metric : group.metrics)
          result.cold.*metric.value = result.warm.*metric.value = none;
      }
    }
    return result;
  }

 private:
  static constexpr std::uint64_t other_bytes = 512 << 20;

  Needs checked_needs(const DeviceJob& job) const {
    const Needs needs = needs_of(job.rung);
    device_.require_memory(Tensors::bytes_needed(job, needs) + other_bytes);
    return needs;
  }

  void launch() {
    Launcher launcher(job_);
    launch_rung(job_, tensors_.params, launcher);
    check(cudaDeviceSynchronize(), "running the kernel");
  }

  // Reads so much else that the L2 holds nothing of the tensors, and nothing that is still to be written.
  void cool() {
    read_all<<<1024, 256>>>(static_cast<const uint4*>(other_), other_bytes / sizeof(uint4),
                            static_cast<unsigned*>(other_));
    check(cudaGetLastError(), "reading device memory");
    check(cudaDeviceSynchronize(), "reading device memory");
  }

  void count(const Group& group, CounterResult& result) {
    std::vector<const char*> names;
    for (const Metric& metric : group.metrics) names.push_back(metric.name);
    RangeCounters counters(names);
    take(group, counters.count([&] { cool(); }, [&] { launch(); }), result.cold);
    if (group.cold_only) {
      for (const Metric& metric : group.metrics) result.warm.*metric.value = result.cold.*metric.value;
    } else {
      take(group, counters.count([&] { launch(); }, [&] { launch(); }), result.warm);
    }
  }

  static void take(const Group& group, const std::vector<double>& values, Reading& reading) {
    for (std::size_t n = 0; n < values.size(); ++n) {
      reading.*group.metrics[n].value = values[n] * group.metrics[n].unit;
    }
  }

  const DeviceJob& job_;
  Device device_;
  Tensors tensors_;
  void* other_;
};

}  // namespace

CounterResult count_on_device(const DeviceJob& job) {
  return guarded<CounterResult>([&] {
    usable_device();
    return CounterRun(job).run();
  });
}

}  // namespace tilewalk::gpu
