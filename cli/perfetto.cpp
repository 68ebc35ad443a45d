#include "cli/perfetto.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/interrupt.h"
#include "cli/run_json.h"
#include "sim/describe.h"
#include "sim/emitter.h"
#include "sim/run.h"

namespace tilewalk {
namespace {

using Write = std::function<void(std::string_view)>;

constexpr const char* time_base =
    "modelled, not measured: an operation takes the longer of its HBM bytes at an equal share of the "
    "bandwidth among the "
    "busy SMs and of its work at one SM's rates; nothing overlaps within a CTA";

double per(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

// What one SM can do per second while a kernel keeps `busy` of them at work.
struct Rates {
  double hbm, matmul, exp, other;
};

Rates rates_of(const Kernel& kernel, const Plan& plan) {
  const Arch& arch = plan.config.arch;
  double hbm = 0;
  for (const Link& link : arch.links) {
    if (link.from == "hbm" || link.to == "hbm") hbm = std::max(hbm, link.bandwidth);
  }
  const auto busy = double(std::clamp<std::int64_t>(kernel.ctas, 1, arch.sms));
  return {hbm / busy, arch.matmul_rate(plan.problem().dtype) / arch.sms, arch.exp_per_clock * arch.clock,
          arch.fp32 / arch.sms};
}

double seconds_of(const Cost& cost, const Rates& rates, int hbm) {
  double bytes = 0;
  for (int n = 0; n < cost.accesses; ++n) {
    const Access& access = cost.access[static_cast<std::size_t>(n)];
    if (access.level == hbm) bytes += double(access.bytes);
  }
  const double work =
      std::max({per(double(cost.flops.matmul), rates.matmul), per(double(cost.flops.exp), rates.exp),
                per(double(cost.flops.other), rates.other)});
  return std::max(per(bytes, rates.hbm), work);
}

// A slice of a track. Tracks are "threads": 0 shows the kernels, n + 1 is SM n.
std::string slice(std::string_view name, std::string_view category, double start, double seconds, int track,
                  const Json& args) {
  return fmt::format(
      R"(,{}{{"name":"{}","cat":"{}","ph":"X","ts":{:.6f},"dur":{:.6f},"pid":1,"tid":{},"args":{}}})", '\n',
      name, category, start * 1e6, seconds * 1e6, track, args.dump());
}

std::string name_track(std::string_view what, int track, const std::string& name) {
  return fmt::format(R"(,{}{{"name":"{}","ph":"M","pid":1,"tid":{},"args":{{"name":{}}}}})", '\n', what,
                     track, Json(name).dump());
}

// "load K 2" of "load K 2 (64x64, 8192 B): hbm -> sram".
std::string_view short_name(std::string_view description) {
  return description.substr(0, description.find(" ("));
}

class Writer {
 public:
  Writer(const Plan& plan, const Write& write)
      : plan_(plan), write_(write), hbm_(plan.config.arch.level("hbm")) {}

  void all(const Progress& progress) {
    head();
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) kernel(k, progress);
    write_("\n]}\n");
  }

 private:
  void head() {
    const Arch& arch = plan_.config.arch;
    const Json about = {{"program", "tilewalk"},
                        {"time", time_base},
                        {"algorithm", plan_.algorithm().name},
                        {"problem", problem_json(plan_.problem())},
                        {"tiling", tiling_json(plan_.config.tiling)},
                        {"arch", arch.name},
                        {"origin", "model"}};
    write_(
        fmt::format("{{\"displayTimeUnit\":\"ns\",\n\"otherData\":{},\n\"traceEvents\":[\n", about.dump()));
    write_(fmt::format(R"({{"name":"process_name","ph":"M","pid":1,"args":{{"name":{}}}}})",
                       Json(arch.title + " (time is modelled, not measured)").dump()));
    write_(name_track("thread_name", 0, "kernels"));
    std::int64_t most_ctas = 0;
    for (const Kernel& kernel : plan_.kernels) most_ctas = std::max(most_ctas, kernel.ctas);
    for (int sm = 0; sm < std::min<std::int64_t>(arch.sms, most_ctas); ++sm)
      write_(name_track("thread_name", sm + 1, fmt::format("SM {}", sm)));
  }

  void kernel(std::size_t k, const Progress& progress) {
    const Kernel& kernel = plan_.kernels[k];
    const auto sms = static_cast<std::int64_t>(plan_.config.arch.sms);
    const Rates rates = rates_of(kernel, plan_);
    std::vector<double> free_at(static_cast<std::size_t>(sms), start_);
    for (std::int64_t c = 0; c < kernel.ctas; ++c) {
      if (progress) progress((double(k) + double(c) / double(kernel.ctas)) / double(plan_.kernels.size()));
      double& at = free_at[static_cast<std::size_t>(c % sms)];
      at = cta(k, c, static_cast<int>(c % sms) + 1, at, rates);
    }
    const double end = *std::max_element(free_at.begin(), free_at.end());
    write_(slice(kernel.row->name, "kernel", start_, end - start_, 0, {{"ctas", kernel.ctas}}));
    start_ = end;
  }

  // Writes the CTA's slice, then those of its operations, and returns when it ends.
  double cta(std::size_t k, std::int64_t c, int track, const double start, const Rates& rates) {
    std::string operations;
    double at = start;
    auto take = [&](const Event& e) {
      ++event_;
      throw_if_interrupted();                             // one CTA may hold a whole head
      if (e.op == Op::alloc || e.op == Op::free) return;  // take no time
      const Cost cost = cost_of(e, plan_);
      const double seconds = seconds_of(cost, rates, hbm_);
      const std::string text = describe(e, plan_);
      const Json args = {{"what", text}, {"event", event_ - 1}, {"line", e.line}};
      operations += slice(short_name(text), name_of(e.op), at, seconds, track, args);
      at += seconds;
    };
    run_cta(plan_, k, c, Sink(take));
    write_(slice(fmt::format("{} CTA {}", plan_.kernels[k].row->name, c), "cta", start, at - start, track,
                 {{"cta", c}}));
    write_(operations);
    return at;
  }

  const Plan& plan_;
  const Write& write_;
  const int hbm_;
  double start_ = 0;         // of the current kernel
  std::uint64_t event_ = 0;  // events so far
};

}  // namespace

void write_perfetto(const Plan& plan, const Write& write, const Progress& progress) {
  Writer(plan, write).all(progress);
}

}  // namespace tilewalk
