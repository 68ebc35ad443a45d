#include "gpu/cupti.h"

#include <cuda_runtime_api.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <string>

#include "gpu/device_error.h"
#include "gpu/library.h"

namespace tilewalk::gpu {
namespace {

[[noreturn]] void unavailable(const std::string& why) {
  throw DeviceError{JobEnd::unavailable, "hardware counters: " + why};
}

const Library& cupti() {
  static const Library library{"libcupti.so." + std::to_string(CUPTI_API_VERSION / 10000), "libcupti.so"};
  if (!library.open()) unavailable("libcupti.so cannot be opened; it comes with the CUDA toolkit");
  return library;
}

std::string words(CUptiResult status) {
  if (status == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
      status == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES) {
    return "the driver does not permit them to this user (ERR_NVGPUCTRPERM); an administrator can allow them";
  }
  const char* text = nullptr;
  const auto name = cupti().find<CUptiResult(CUptiResult, const char**)>("cuptiGetResultString");
  if (name && name(status, &text) == CUPTI_SUCCESS && text) return text;
  return "error " + std::to_string(static_cast<int>(status));
}

// Every function of the profiler takes one struct of parameters.
template <typename Params>
void call(const char* function, Params& params) {
  const auto entry = cupti().find<CUptiResult(Params*)>(function);
  if (!entry) unavailable(std::string("this libcupti.so has no ") + function + "; CUDA 13 has");
  if (const CUptiResult status = entry(&params); status != CUPTI_SUCCESS) {
    unavailable(std::string(function) + ": " + words(status));
  }
}

#define TILEWALK_CUPTI(name, type) \
  type name{};                     \
  name.structSize = type##_STRUCT_SIZE

std::string chip_name() {
  TILEWALK_CUPTI(start, CUpti_Profiler_Initialize_Params);
  call("cuptiProfilerInitialize", start);
  TILEWALK_CUPTI(chip, CUpti_Device_GetChipName_Params);
  call("cuptiDeviceGetChipName", chip);
  return chip.pChipName;
}

// The runtime's context; asked of the driver, which is not linked.
CUcontext current_context() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  constexpr unsigned since = 12000;
  if (cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, since, cudaEnableDefault, &found) ||
      !entry) {
    unavailable("the driver does not name its current context");
  }
  CUcontext context = nullptr;
  reinterpret_cast<CUresult (*)(CUcontext*)>(entry)(&context);
  return context;
}

}  // namespace

struct RangeCounters::State {
  std::vector<const char*> metrics;
  std::string chip;
  CUpti_Profiler_Host_Object* host = nullptr;
  CUpti_RangeProfiler_Object* profiler = nullptr;
  std::vector<std::uint8_t> config, image;

  void configure() {
    TILEWALK_CUPTI(start, CUpti_Profiler_Host_Initialize_Params);
    start.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    start.pChipName = chip.c_str();
    call("cuptiProfilerHostInitialize", start);
    host = start.pHostObject;
    TILEWALK_CUPTI(add, CUpti_Profiler_Host_ConfigAddMetrics_Params);
    add.pHostObject = host;
    add.ppMetricNames = metrics.data();
    add.numMetrics = metrics.size();
    call("cuptiProfilerHostConfigAddMetrics", add);
    TILEWALK_CUPTI(size, CUpti_Profiler_Host_GetConfigImageSize_Params);
    size.pHostObject = host;
    call("cuptiProfilerHostGetConfigImageSize", size);
    config.resize(size.configImageSize);
    TILEWALK_CUPTI(get, CUpti_Profiler_Host_GetConfigImage_Params);
    get.pHostObject = host;
    get.configImageSize = config.size();
    get.pConfigImage = config.data();
    call("cuptiProfilerHostGetConfigImage", get);
  }

  void enable() {
    TILEWALK_CUPTI(enable, CUpti_RangeProfiler_Enable_Params);
    enable.ctx = current_context();
    call("cuptiRangeProfilerEnable", enable);
    profiler = enable.pRangeProfilerObject;
    TILEWALK_CUPTI(size, CUpti_RangeProfiler_GetCounterDataSize_Params);
    size.pRangeProfilerObject = profiler;
    size.pMetricNames = metrics.data();
    size.numMetrics = metrics.size();
    size.maxNumOfRanges = size.maxNumRangeTreeNodes = 1;
    call("cuptiRangeProfilerGetCounterDataSize", size);
    image.resize(size.counterDataSize);
  }

  // Nothing here may throw.
  ~State() {
    if (profiler) {
      TILEWALK_CUPTI(disable, CUpti_RangeProfiler_Disable_Params);
      disable.pRangeProfilerObject = profiler;
      const auto entry =
          cupti().find<CUptiResult(CUpti_RangeProfiler_Disable_Params*)>("cuptiRangeProfilerDisable");
      if (entry) entry(&disable);
    }
    if (host) {
      TILEWALK_CUPTI(stop, CUpti_Profiler_Host_Deinitialize_Params);
      stop.pHostObject = host;
      const auto entry = cupti().find<CUptiResult(CUpti_Profiler_Host_Deinitialize_Params*)>(
          "cuptiProfilerHostDeinitialize");
      if (entry) entry(&stop);
    }
  }
};

RangeCounters::RangeCounters(std::vector<const char*> metrics) : state_(std::make_unique<State>()) {
  state_->metrics = std::move(metrics);
  state_->chip = chip_name();
  state_->configure();
  state_->enable();
}

RangeCounters::~RangeCounters() = default;

void RangeCounters::begin() {
  TILEWALK_CUPTI(clear, CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  clear.pRangeProfilerObject = state_->profiler;
  clear.counterDataSize = state_->image.size();
  clear.pCounterData = state_->image.data();
  call("cuptiRangeProfilerCounterDataImageInitialize", clear);
  TILEWALK_CUPTI(set, CUpti_RangeProfiler_SetConfig_Params);
  set.pRangeProfilerObject = state_->profiler;
  set.configSize = state_->config.size();
  set.pConfig = state_->config.data();
  set.counterDataImageSize = state_->image.size();
  set.pCounterDataImage = state_->image.data();
  set.range = CUPTI_UserRange;
  set.replayMode = CUPTI_UserReplay;
  set.maxRangesPerPass = 1;
  set.numNestingLevels = set.minNestingLevel = 1;
  call("cuptiRangeProfilerSetConfig", set);
}

void RangeCounters::start_pass() {
  TILEWALK_CUPTI(start, CUpti_RangeProfiler_Start_Params);
  start.pRangeProfilerObject = state_->profiler;
  call("cuptiRangeProfilerStart", start);
  TILEWALK_CUPTI(push, CUpti_RangeProfiler_PushRange_Params);
  push.pRangeProfilerObject = state_->profiler;
  push.pRangeName = "kernel";
  call("cuptiRangeProfilerPushRange", push);
}

bool RangeCounters::end_pass() {
  TILEWALK_CUPTI(pop, CUpti_RangeProfiler_PopRange_Params);
  pop.pRangeProfilerObject = state_->profiler;
  call("cuptiRangeProfilerPopRange", pop);
  TILEWALK_CUPTI(stop, CUpti_RangeProfiler_Stop_Params);
  stop.pRangeProfilerObject = state_->profiler;
  call("cuptiRangeProfilerStop", stop);
  return stop.isAllPassSubmitted != 0;
}

std::vector<double> RangeCounters::values() {
  TILEWALK_CUPTI(decode, CUpti_RangeProfiler_DecodeData_Params);
  decode.pRangeProfilerObject = state_->profiler;
  call("cuptiRangeProfilerDecodeData", decode);
  std::vector<double> result(state_->metrics.size());
  TILEWALK_CUPTI(evaluate, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  evaluate.pHostObject = state_->host;
  evaluate.pCounterDataImage = state_->image.data();
  evaluate.counterDataImageSize = state_->image.size();
  evaluate.ppMetricNames = state_->metrics.data();
  evaluate.numMetrics = state_->metrics.size();
  evaluate.rangeIndex = 0;
  evaluate.pMetricValues = result.data();
  call("cuptiProfilerHostEvaluateToGpuValues", evaluate);
  return result;
}

}  // namespace tilewalk::gpu
