// tilewalk gpu: what GPU there is, and running a kernel on it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/figures.h"
#include "cli/gpu_actions.h"
#include "cli/gpu_run.h"
#include "cli/output_file.h"
#include "lessons/numbers.h"
#include "sim/error.h"
#include "sim/npy.h"
#include "sim/reference.h"

namespace tilewalk {
namespace {

// Flags that only some actions look at: given to another one they would be ignored, so they are refused.
void refuse_unused(const GpuFlags& flags, const std::string& what) {
  struct Use {
    const char* name;
    bool given;
    std::vector<std::string_view> of;
  };
  const bool problem = names_a_problem(flags.run) || flags.run.seed || flags.run.order || flags.run.sram;
  const Use uses[] = {{"--kernel", flags.kernel.has_value(), {"run", "bench", "counters"}},
                      {"KERNEL", flags.kernel_name.has_value(), {"run", "bench", "counters"}},
                      {"--repeats", flags.repeats.has_value(), {"run"}},
                      {"--out", flags.out.has_value(), {"run"}},
                      {"--csv", flags.csv.has_value(), {"bench", "counters"}},
                      {"--fault", flags.run.fault.has_value(), {"run"}},
                      {"--count-only", flags.run.count_only, {}},
                      {"a problem", problem, {"run", "bench", "counters"}}};
  for (const Use& use : uses) {
    if (use.given && std::find(use.of.begin(), use.of.end(), what) == use.of.end())
      throw RequestError("gpu " + what + ": does not take " + use.name + "; leave it out");
  }
  if (flags.kernel && flags.kernel_name)
    throw RequestError("--kernel " + *flags.kernel + ": the kernel is named twice; leave one out");
  if (flags.repeats && flags.run.fault)
    throw RequestError("--repeats: is for sound kernels; leave --fault out");
}

int info(const GpuFlags& flags) {
  const gpu::DeviceInfo d = gpu::device_info();
  if (flags.run.json) {
    print(json_text({{"schema", 1},
                     {"present", d.present},
                     {"reason", d.present ? Json() : Json(d.reason)},
                     {"name", d.name},
                     {"compute_capability", fmt::format("{}.{}", d.major, d.minor)},
                     {"sms", d.sms},
                     {"memory", d.memory},
                     {"free_memory", d.free_memory},
                     {"l2", d.l2},
                     {"shared_per_block", d.shared_per_block},
                     {"driver", d.driver},
                     {"runtime", d.runtime},
                     {"toolkit", d.toolkit}}));
    return d.present ? exit_done : exit_unavailable;
  }
  if (!d.present) throw Unavailable(d.reason);
  print(fmt::format(
      "{}: compute capability {}.{}, {} SMs, {} of memory ({} free), {} of L2, {} of shared memory a "
      "block\ndriver for CUDA {}, built with CUDA {}\n",
      d.name, d.major, d.minor, d.sms, human_bytes(d.memory), human_bytes(d.free_memory), human_bytes(d.l2),
      human_bytes(d.shared_per_block), d.driver, d.toolkit));
  return exit_done;
}

std::string output_npy(const Problem& p, const std::vector<float>& o) {
  const std::int64_t shape[] = {p.batch, p.heads, p.n_q, p.d};
  return format_npy(shape, o, p.dtype == DType::f16 ? NpyType::f16 : NpyType::f32);
}

std::int64_t repeats_of(const GpuFlags& flags) {
  constexpr std::int64_t most = 1'000'000;
  return parse_whole("--repeats", *flags.repeats, 2, most, "200");
}

// Runs the untraced kernel again and again: every run must leave the same bits.
int repeat(const gpu::KernelRow& kernel, const KernelRequest& request, const Inputs& inputs,
           const GpuFlags& flags) {
  const std::int64_t times = repeats_of(flags);
  const gpu::Repeats result = gpu::repeat_kernel(kernel, *request.plan, inputs, static_cast<int>(times));
  expect_done(result.end, result.error);
  if (flags.run.json) {
    print(json_text(
        {{"schema", 1}, {"kernel", kernel.name}, {"repeats", times}, {"different", result.different}}));
  } else {
    print(fmt::format("{}: {}: {} runs, {} differ from the first in a bit of O or L\n", kernel.name,
                      problem_text(request.request.problem), times, result.different));
  }
  return result.different == 0 ? exit_done : exit_disagrees;
}

int run(const GpuFlags& flags) {
  const gpu::KernelRow& kernel =
      gpu::kernel_named(required(flags.kernel_name ? flags.kernel_name : flags.kernel, "gpu run: the kernel",
                                 "see 'tilewalk list kernels'"),
                        "gpu run");
  const KernelRequest request = kernel_request(kernel, flags.run);
  if (flags.repeats) repeats_of(flags);
  require_device();
  const Problem& problem = request.request.problem;
  const Inputs inputs = request.request.given ? checked_inputs(problem, *request.request.given)
                                              : random_inputs(problem, request.request.seed);
  if (flags.repeats) return repeat(kernel, request, inputs, flags);
  const gpu::KernelRun run = run_on_gpu(kernel, request, inputs, false);
  const OutputCheck check = check_output(*request.plan, inputs, run.o);
  if (flags.out) write_file_atomically(*flags.out, output_npy(problem, run.o), "--out");
  if (flags.run.json) {
    print(json_text({{"schema", 1},
                     {"kernel", kernel.name},
                     {"problem", problem_json(problem)},
                     {"tiling", tiling_json(request.plan->config.tiling)},
                     {"max_abs_error", check.max_abs_error},
                     {"allowed_error", check.allowed_error},
                     {"agrees", check.agrees()},
                     {"origin", "measured"}}));
  } else {
    print(fmt::format("{}: {}\nproblem  {}\ntiling   {}\nerror against float64  {}\n", kernel.name,
                      kernel.title, problem_text(problem), tiling_text(*request.plan), error_text(check)));
  }
  return check.agrees() ? exit_done : exit_disagrees;
}

struct What {
  std::string_view name;
  int (*act)(const GpuFlags&);
};
constexpr What actions[] = {{"info", info}, {"run", run}, {"bench", gpu_bench}, {"counters", gpu_counters}};

int gpu_command(const GpuFlags& flags) {
  const std::string& what =
      required(flags.what, "gpu: what to do", "say 'tilewalk gpu info', or run, bench or counters");
  std::vector<std::string_view> names;
  for (const What& action : actions) {
    if (action.name == what) {
      refuse_unused(flags, what);
      return action.act(flags);
    }
    names.push_back(action.name);
  }
  throw RequestError("gpu: " + unknown_name("action", what, names));
}

}  // namespace

Action add_gpu(CLI::App& app) {
  const auto flags = std::make_shared<GpuFlags>();
  add_flag(app, "What", {"WHAT", "", "info, run, bench or counters"}, flags->what);
  add_flag(app, "What", {"KERNEL", "", "see 'tilewalk list kernels'"}, flags->kernel_name);
  add_flag(app, "What", {"--kernel", "K", "the same; of bench and counters [all]"}, flags->kernel);
  add_flag(app, "What", {"--repeats", "R", "of run: so many times; all must leave the same bits"},
           flags->repeats);
  add_problem_flags(app, flags->run);
  add_machine_flags(app, flags->run);
  add_input_flags(app, flags->run);
  add_flag(app, "Output", {"--out", "FILE", "of run: write O as .npy"}, flags->out);
  add_flag(app, "Output", {"--csv", "FILE", "of bench and counters: write the table"}, flags->csv);
  add_json_flag(app, flags->run.json);
  set_footer(
      app,
      "Example: tilewalk gpu info\n"
      "         tilewalk gpu run flash2_scalar --n 1000 --mask causal\n"
      "         tilewalk gpu bench --batch 64 --heads 16 --n 1024\n"
      "         tilewalk gpu counters --kernel flash2_mma --heads 32 --n 4096\n"
      "Without a problem, bench runs a table of problems (16384 tokens, hidden size 2048; --dtype is kept),\n"
      "counters one of 17 problems of many kinds.\n"
      "Exit codes: 0 done, 1 the output is wrong, 2 wrong request, 3 no GPU.");
  return [flags] { return gpu_command(*flags); };
}

}  // namespace tilewalk
