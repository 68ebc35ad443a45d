#include "viz/gpu_job.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "gpu/api.h"
#include "lessons/recording.h"
#include "sim/error.h"
#include "viz/recorded_files.h"

namespace tilewalk::viz {
namespace {

struct Left {};

constexpr std::uintmax_t most_bytes = 64 << 20;

std::string stem_of(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  return std::string(path.substr(0, path.rfind('.')));
}

// Of a recording that is part of the program, or of a file.
std::string text_of(const std::string& name) {
  for (const auto& [path, bytes] : recorded_data::files()) {
    if (stem_of(path) == name) return std::string(bytes);
  }
  std::error_code failed;
  if (std::filesystem::file_size(name, failed) > most_bytes || failed)
    throw RequestError("--recorded: " + shown(name) +
                       ": cannot be read, or is too large; name a recorded run");
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

GpuCheck check_recording(const std::string& name, const Progress& progress) {
  const Recording recording = parse_recording(text_of(name), name);
  GpuCheck check;
  check.kernel = recording.fact("kernel-name");
  check.fault = recording.fact("kernel-fault");
  if (check.fault == "none") check.fault.clear();
  check.origin = fmt::format("{} · CUDA {} · {}", recording.fact("device"), recording.fact("toolkit"),
                             recording.fact("date"));
  std::replace(check.origin.begin(), check.origin.end(), '_', ' ');
  check.request = request_of_header(recording.trace.header, name);
  const RunRequest& r = check.request;
  const Algorithm& algorithm = algorithm_named(r.algorithm);
  check.plan = make_plan(
      {&algorithm, r.problem, choose_tiling(r.tiling, algorithm, r.problem, r.arch), r.arch, nullptr});
  const Inputs inputs = r.given ? checked_inputs(r.problem, *r.given) : random_inputs(r.problem, r.seed);
  check.divergence = divergence_of(check.plan, inputs, recording.trace, Flow::moves, progress);
  check.bytes = compare_bytes(check.plan, recording.trace);
  return check;
}

GpuCheck check_now(const std::string& name, const RunFacts& facts, const Progress& progress) {
  const gpu::KernelRow& kernel = gpu::kernel_named(name);
  if (!facts.inputs) throw RequestError("this run is counted without values; choose a smaller N");
  gpu::KernelRun run = gpu::run_kernel(kernel, *facts.plan, *facts.inputs, true);
  if (run.end != gpu::RunEnd::done) throw RequestError(run.error);
  GpuCheck check{name, "", gpu_device().words, facts.plan, facts.request, {}, {}, run.malformed};
  check.divergence = divergence_of(facts.plan, *facts.inputs, *run.trace, Flow::moves, progress);
  check.bytes = compare_bytes(facts.plan, *run.trace);
  return check;
}

}  // namespace

bool GpuCheck::bytes_equal() const {
  for (const TensorBytes& b : bytes) {
    if (b.model != b.kernel) return false;
  }
  return true;
}

bool GpuCheck::agrees() const { return divergence.diff.agrees() && bytes_equal() && malformed.empty(); }

bool GpuCheck::is_of(const RunFacts& facts) const {
  const Tiling &a = plan->config.tiling, &b = facts.plan->config.tiling;
  const Problem &p = plan->problem(), &q = facts.plan->problem();
  return plan->config.algorithm == facts.plan->config.algorithm && a.block_q == b.block_q &&
         a.block_kv == b.block_kv && a.order == b.order && p.n_q == q.n_q && p.n_kv == q.n_kv && p.d == q.d &&
         p.instances() == q.instances() && p.kv_heads == q.kv_heads && p.dtype == q.dtype &&
         p.scale == q.scale && p.mask.spec() == q.mask.spec() && request.head == facts.request.head &&
         request.seed == facts.request.seed && facts.request.files[0] == request.files[0];
}

std::vector<std::string> recorded_runs() {
  std::vector<std::string> names;
  for (const auto& file : recorded_data::files()) names.push_back(stem_of(file.path));
  return names;
}

std::vector<GpuKernel> gpu_kernels() {
  std::vector<GpuKernel> kernels;
  for (const gpu::KernelRow& row : gpu::kernels()) {
    if (row.traceable) kernels.push_back({std::string(row.name), std::string(row.algorithm)});
  }
  return kernels;
}

const GpuDevice& gpu_device() {
  static const GpuDevice device = [] {
    const gpu::DeviceInfo info = gpu::device_info();
    return GpuDevice{info.present, info.present ? info.name : info.reason};
  }();
  return device;
}

void GpuJob::open(std::string name) {
  begin([this, name = std::move(name)] { return check_recording(name, progress()); });
}

void GpuJob::run(std::string kernel, std::shared_ptr<const RunFacts> facts) {
  begin([this, kernel = std::move(kernel), facts = std::move(facts)] {
    return check_now(kernel, *facts, progress());
  });
}

GpuStatus GpuJob::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

bool GpuJob::wait(std::chrono::milliseconds limit) {
  work();
  const auto end = WorkClock::now() + limit;
  while (status().busy) {
    if (WorkClock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void GpuJob::work() {
  if (const auto task = std::exchange(waiting_, {})) carry_out(task);
}

void GpuJob::begin(std::function<GpuCheck()> task) {
  leave();
  status_ = {true, 0, "", nullptr};
  if (mode_ == WorkMode::in_slices)
    waiting_ = std::move(task);
  else
    thread_ = std::thread([this, task = std::move(task)] { carry_out(task); });
}

void GpuJob::carry_out(const std::function<GpuCheck()>& task) {
  GpuStatus result;
  try {
    result.check = std::make_shared<const GpuCheck>(task());
  } catch (const Left&) {
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  {
    const std::lock_guard lock(mutex_);
    status_ = std::move(result);
  }
  if (wake_) wake_();
}

void GpuJob::leave() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  stop_ = false;
}

Progress GpuJob::progress() {
  return [this](double done) {
    if (stop_) throw Left();
    {
      const std::lock_guard lock(mutex_);
      if (done - status_.progress < 0.05 && done >= status_.progress) return;
      status_.progress = done;
    }
    if (wake_) wake_();
  };
}

}  // namespace tilewalk::viz
