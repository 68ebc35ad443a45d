// Why a device could not do what it was asked: thrown within the host's side of the kernels, never out of it.
#pragma once

#include <string>

#include "gpu/device_job.h"

namespace tilewalk::gpu {

struct DeviceError {
  JobEnd end;
  std::string text;
};

}  // namespace tilewalk::gpu
