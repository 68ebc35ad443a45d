// Hardware counters of one kernel run, read in process. C++17, no CUDA types.
#pragma once

#include "gpu/device_job.h"

namespace tilewalk::gpu {

// Bytes, but for the spills: those are instructions. NaN: the device has no such counter.
struct Reading {
  double dram_read = 0, dram_write = 0;      // device memory
  double l2_read = 0, l2_write = 0;          // what the L2 is asked for by the SMs, whole sectors
  double into_sms = 0, out_of_sms = 0;       // between L2 and SMs
  double shared = 0;                         // read and written by instructions; not by TMA and wgmma
  double spill_loads = 0, spill_stores = 0;  // local memory
};

struct CounterResult {
  JobEnd end = JobEnd::done;
  std::string error;
  Reading cold, warm;  // after reading 512 MB of other data; right after a run of the same kernel
};

// One run of the untraced kernels for each group of counters that the hardware reads at once.
CounterResult count_on_device(const DeviceJob& job);

}  // namespace tilewalk::gpu
