#include "sim/run.h"

#include <algorithm>

#include "sim/emitter.h"
#include "sim/error.h"
#include "sim/machine.h"

namespace tilewalk {
namespace {

// Asked now and then between events, since a CTA may be the whole run: whoever may stop it gets to.
class Pulse {
 public:
  Pulse(const Progress& progress, std::uint64_t every) : progress_(progress), every_(every) {}
  void at(double done) {
    done_ = done;
    if (progress_) progress_(done_);
  }
  void beat() {
    if (progress_ && ++events_ % every_ == 0) progress_(done_);
  }

 private:
  const Progress& progress_;
  std::uint64_t every_, events_ = 0;
  double done_ = 0;
};

// Runs one CTA after another, and says how far it is.
template <class F>
void each_cta(const Plan& plan, std::int64_t instances, Pulse& pulse, F&& take) {
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    const std::int64_t ctas = plan.kernels[k].blocks * instances;
    for (std::int64_t cta = 0; cta < ctas; ++cta) {
      pulse.at((double(k) + double(cta) / double(ctas)) / double(plan.kernels.size()));
      take(k, cta);
    }
  }
}

Counts count_block(const std::shared_ptr<const Plan>& plan, std::size_t kernel, std::int64_t block,
                   Pulse& pulse) {
  Machine machine(plan);
  auto take = [&](const Event& e) {
    machine.execute(e);
    pulse.beat();
  };
  run_cta(*plan, kernel, block, Sink(take));
  machine.finish();
  return machine.state().counts[kernel];
}

double per(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

bool in_hbm(const Tensor& tensor, const Plan& plan) { return tensor.level == plan.config.arch.level("hbm"); }

std::string in_gigabytes(double bytes) {
  const double tenths = bytes / 1e8;
  return std::to_string(std::uint64_t(tenths) / 10) + "." + std::to_string(std::uint64_t(tenths) % 10) +
         " GB";
}

}  // namespace

KernelTime kernel_time(const Counts& counts, const Kernel& kernel, const Plan& plan) {
  const Arch& arch = plan.config.arch;
  const int hbm = arch.level("hbm");
  double hbm_rate = 0;
  for (const Link& link : arch.links) {
    if (link.from == "hbm" || link.to == "hbm") hbm_rate = std::max(hbm_rate, link.bandwidth);
  }
  const double busy = std::min(1.0, double(kernel.ctas) / arch.sms);
  if (busy == 0) return {};
  const double exp_rate = arch.exp_per_clock * arch.sms * arch.clock;
  const double units[] = {per(double(counts.flops.matmul), arch.matmul_rate(plan.problem().dtype)),
                          per(double(counts.flops.exp), exp_rate),
                          per(double(counts.flops.other), arch.fp32)};
  return {per(double(counts.total(hbm)), hbm_rate),
          *std::max_element(std::begin(units), std::end(units)) / busy};
}

std::uint64_t Run::bytes(std::string_view level, bool write) const {
  for (std::size_t n = 0; n < plan->config.arch.levels.size(); ++n) {
    if (plan->config.arch.levels[n].name == level) return total.total(static_cast<int>(n), write);
  }
  return 0;
}

KernelTime Run::time() const {
  KernelTime sum;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const KernelTime one = kernel_time(kernels[k], plan->kernels[k], *plan);
    sum.memory += one.memory;
    sum.compute += one.compute;
  }
  return sum;
}

double Run::time_estimate() const {
  double sum = 0;
  for (std::size_t k = 0; k < kernels.size(); ++k)
    sum += kernel_time(kernels[k], plan->kernels[k], *plan).estimate();
  return sum;
}

double Run::intensity() const {
  const double flops = double(total.flops.matmul) + double(total.flops.exp) + double(total.flops.other);
  return per(flops, double(bytes("hbm")));
}

std::uint64_t Run::useful_flops() const {
  const Problem& p = plan->problem();
  const auto all = static_cast<std::uint64_t>(4 * p.instances() * p.n_q * p.n_kv * p.d);
  return p.mask.is_causal() ? all / 2 : all;
}

std::uint64_t Run::peak(std::string_view level) const {
  return total.peak[static_cast<std::size_t>(plan->config.arch.level(level))];
}

std::uint64_t Run::hbm_footprint() const {
  std::uint64_t sum = 0;
  for (const Tensor& tensor : plan->tensors) sum += in_hbm(tensor, *plan) ? tensor.bytes(plan->problem()) : 0;
  return sum;
}

std::uint64_t Run::compulsory_bytes() const {
  std::uint64_t sum = 0;
  for (const Tensor& tensor : plan->tensors) {
    const bool outside = tensor.name == "Q" || tensor.name == "K" || tensor.name == "V" ||
                         tensor.name == "O" || tensor.name == "L";
    sum += outside ? tensor.bytes(plan->problem()) : 0;
  }
  return sum;
}

Run count(std::shared_ptr<const Plan> plan, const Progress& progress) {
  Run run;
  run.kernels.resize(plan->kernels.size());
  Pulse pulse(progress, 1 << 16);
  each_cta(*plan, 1, pulse, [&](std::size_t k, std::int64_t block) {
    const std::int64_t copies = plan->stands_for(plan->kernels[k], block) * plan->problem().instances();
    if (copies > 0)
      run.kernels[k] += count_block(plan, k, block, pulse).times(static_cast<std::uint64_t>(copies));
  });
  for (const Counts& kernel : run.kernels) run.total += kernel;
  run.plan = std::move(plan);
  return run;
}

Run execute(std::shared_ptr<const Plan> plan, const Inputs& inputs, const Progress& progress, bool checked) {
  // The check costs about as much as the run.
  const auto part = [&](double from, double share) -> Progress {
    if (!progress) return {};
    return [&progress, from, share](double done) { progress(from + share * done); };
  };
  Machine machine(plan, &inputs);
  const Progress first_part = part(0, checked ? 0.5 : 1);
  Pulse pulse(first_part, 1 << 9);
  auto take = [&](const Event& e) {
    machine.execute(e);
    pulse.beat();
  };
  each_cta(*plan, plan->problem().instances(), pulse,
           [&](std::size_t k, std::int64_t cta) { run_cta(*plan, k, cta, Sink(take)); });
  machine.finish();
  Run run;
  run.kernels = machine.state().counts;
  run.total = machine.state().total();
  run.o = machine.state().hbm[static_cast<std::size_t>(plan->tensors.find("O"))].values();
  if (checked) run.check = check_output(*plan, inputs, run.o, part(0.5, 0.5));
  run.plan = std::move(plan);
  return run;
}

std::uint64_t memory_needed(const Plan& plan) {
  // Inputs are held twice (as given, and as tensors), O too; every value is a float whatever its dtype in
  // HBM.
  double floats = 0;
  for (const Tensor& tensor : plan.tensors) {
    if (!in_hbm(tensor, plan)) continue;
    const double elements = double(tensor.bytes(plan.problem())) / double(size_of(tensor.type));
    floats += tensor.cols == Axis::kv ? elements : 2 * elements;
  }
  return static_cast<std::uint64_t>(floats * sizeof(float) * 1.1) + (std::uint64_t{16} << 20);
}

std::string memory_shortage(const Plan& plan, std::uint64_t needed, std::uint64_t limit) {
  if (limit == 0 || needed <= limit) return "";
  return "--n " + std::to_string(plan.problem().n_q) + ": values would take " + in_gigabytes(double(needed)) +
         " of memory, this machine has " + in_gigabytes(double(limit)) +
         " free; add --count-only to count without them";
}

}  // namespace tilewalk
