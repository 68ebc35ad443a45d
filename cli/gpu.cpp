// tilewalk gpu: what GPU there is, and running a kernel on it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/figures.h"
#include "cli/gpu_run.h"
#include "cli/output_file.h"
#include "sim/error.h"
#include "sim/npy.h"
#include "sim/reference.h"

namespace tilewalk {
namespace {

struct Flags {
  RunFlags run;
  Flag what, kernel, out;
};

int info(const Flags& flags) {
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

int run(const Flags& flags) {
  const gpu::KernelRow& kernel =
      gpu::kernel_named(required(flags.kernel, "gpu run: the kernel", "see 'tilewalk list kernels'"));
  const KernelRequest request = kernel_request(kernel, flags.run);
  require_device();
  const Problem& problem = request.request.problem;
  const Inputs inputs = request.request.given ? checked_inputs(problem, *request.request.given)
                                              : random_inputs(problem, request.request.seed);
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

int gpu_command(const Flags& flags) {
  const std::string& what =
      required(flags.what, "gpu: what to do", "say 'tilewalk gpu info' or 'tilewalk gpu run KERNEL'");
  if (what == "info") return info(flags);
  if (what == "run") return run(flags);
  if (what == "bench" || what == "counters") throw Unavailable("gpu " + what + ": not built yet");
  static constexpr std::string_view known[] = {"info", "run", "bench", "counters"};
  throw RequestError("gpu: " + unknown_name("action", what, known));
}

}  // namespace

Action add_gpu(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  add_flag(app, "What", {"WHAT", "", "info or run"}, flags->what);
  add_flag(app, "What", {"KERNEL", "", "of run: see 'tilewalk list kernels'"}, flags->kernel);
  add_problem_flags(app, flags->run);
  add_machine_flags(app, flags->run);
  add_input_flags(app, flags->run);
  add_flag(app, "Output", {"--out", "FILE", "write O as .npy"}, flags->out);
  add_json_flag(app, flags->run.json);
  set_footer(app,
             "Example: tilewalk gpu info\n"
             "         tilewalk gpu run flash2_scalar --n 1000 --mask causal\n"
             "Exit codes: 0 done, 1 the output is wrong, 2 wrong request, 3 no GPU.");
  return [flags] { return gpu_command(*flags); };
}

}  // namespace tilewalk
