// tilewalk run: one algorithm, counted, and computed unless --count-only.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/figures.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "cli/run_json.h"
#include "cli/table.h"
#include "cli/units.h"
#include "sim/error.h"
#include "sim/fault.h"
#include "sim/npy.h"

namespace tilewalk {
namespace {

struct Flags {
  RunFlags run;
  Flag algorithm, out;
};

std::string heading(const Run& run, const Request& request) {
  const Plan& plan = *run.plan;
  const Algorithm& algorithm = plan.algorithm();
  const Arch& arch = plan.config.arch;
  std::string text = styled(fmt::format("{}: {} ({})", algorithm.name, algorithm.title, algorithm.paper),
                            Style::bold, output_is_terminal()) +
                     "\n";
  text += "problem  " + problem_text(plan.problem()) + "\n";
  text += "inputs   " + (request.count_only ? "none: counted without values" : request.inputs) + "\n";
  text += fmt::format("tiling   {} (queries x keys)\n", tiling_text(plan));
  text += fmt::format("machine  {}: {}\n", arch.name, arch.title);
  if (plan.config.fault)
    text += fmt::format("fault    {}: {}\n", plan.config.fault->name, plan.config.fault->title);
  if (!algorithm.remark.empty()) text += fmt::format("note     {}\n", algorithm.remark);
  return text;
}

Table bytes_table(const Run& run) {
  Table table(
      {{"level"}, {"tensor"}, {"bytes read", Align::right}, {"bytes written", Align::right}, {"origin"}});
  const Plan& plan = *run.plan;
  for (std::size_t level = 0; level < plan.config.arch.levels.size(); ++level) {
    const std::string& name = plan.config.arch.levels[level].name;
    for (std::size_t t = 0; t < plan.tensors.size(); ++t) {
      const std::uint64_t read = run.total.bytes[level][0][t], written = run.total.bytes[level][1][t];
      if (read + written > 0)
        table.add_row({name, std::string(plan.tensors[t].name), grouped(read), grouped(written), "model"});
    }
    const int at = static_cast<int>(level);
    table.add_row(
        {name, "total", grouped(run.total.total(at, false)), grouped(run.total.total(at, true)), "model"},
        Style::bold);
  }
  return table;
}

void add_times(Table& table, const Run& run) {
  for (std::size_t k = 0; k < run.kernels.size(); ++k) {
    const Kernel& kernel = run.plan->kernels[k];
    const KernelTime time = kernel_time(run.kernels[k], kernel, *run.plan);
    table.add_row({fmt::format("time of kernel {} ({} CTAs)", kernel.row->name, kernel.ctas),
                   fmt::format("{} (memory {}, compute {})", human_time(time.estimate()),
                               human_time(time.memory), human_time(time.compute)),
                   "model"});
  }
  table.add_row({"time", human_time(run.time_estimate()), "model"}, Style::bold);
}

Table figures_table(const Run& run) {
  Table table({{"figure"}, {"value"}, {"origin"}});
  for (const auto& group : {traffic_figures(), work_figures(), place_figures(run.plan->config.arch)}) {
    for (const Figure& figure : group) table.add_row({figure.label, figure.value(run), figure.origin});
  }
  add_times(table, run);
  if (run.check) table.add_row({"error against float64", error_text(*run.check), "model"}, Style::bold);
  return table;
}

std::string formula_line(const Run& run) {
  const Theory theory = run.plan->algorithm().theory(run.plan->problem(), run.plan->config.tiling);
  return theory.known ? "closed form in elements: " + theory.formula + "\n"
                      : "no closed form for this problem\n";
}

std::string report(const Run& run, const Request& request) {
  const bool terminal = output_is_terminal();
  return heading(run, request) + "\n" + bytes_table(run).text(terminal) + "\n" +
         figures_table(run).text(terminal) + formula_line(run);
}

// O in the problem's dtype (bf16 as f32) with the axes of the inputs.
std::string output_npy(const Run& run) {
  const Problem& p = run.plan->problem();
  std::vector<std::int64_t> shape{p.n_q, p.d};
  if (p.instances() > 1) shape.insert(shape.begin(), p.heads);
  if (p.batch > 1) shape.insert(shape.begin(), p.batch);
  return format_npy(shape, run.o, p.dtype == DType::f16 ? NpyType::f16 : NpyType::f32);
}

Run perform(const Request& request, const Algorithm& algorithm) {
  auto plan = plan_for(request, algorithm);
  ProgressLine progress(std::string(algorithm.name));
  if (request.count_only) return count(std::move(plan), progress.callback());
  const Inputs inputs = inputs_for(request, *plan);
  return execute(std::move(plan), inputs, progress.callback());
}

int run_command(const Flags& flags) {
  const Algorithm& algorithm =
      algorithm_named(required(flags.algorithm, "run: the algorithm",
                               "name one, e.g. 'tilewalk run flash2' (see 'tilewalk list algorithms')"));
  if (flags.out && flags.run.count_only)
    throw RequestError("--out " + typed(*flags.out) +
                       ": there is no O with --count-only; leave one of them out");
  const Request request = resolve(flags.run);
  for (const auto& [input, flag] :
       {std::pair{&flags.run.q, "--q"}, {&flags.run.k, "--k"}, {&flags.run.v, "--v"}}) {
    if (flags.out && *input) refuse_same_file(*flags.out, "--out", **input, flag);
  }
  std::unique_ptr<OutputFile> out;
  if (flags.out) out = std::make_unique<OutputFile>(*flags.out, "--out");
  const Run run = perform(request, algorithm);
  if (out) {
    out->write(output_npy(run));
    out->commit();
  }
  note_footprint(run.hbm_footprint(), run.plan->config.arch);
  print(flags.run.json ? json_text(run_json(run, request)) : report(run, request));
  return judge(run);
}

}  // namespace

Action add_run(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  add_flag(app, "Algorithm", {"ALGORITHM", "", "see 'tilewalk list algorithms'"}, flags->algorithm);
  add_problem_flags(app, flags->run);
  add_machine_flags(app, flags->run);
  add_input_flags(app, flags->run);
  add_flag(app, "Output", {"--out", "FILE", "write O as .npy"}, flags->out);
  add_json_flag(app, flags->run.json);
  set_footer(app,
             "Example: tilewalk run flash2 --n 2048 --mask causal\n"
             "         tilewalk run flash2 --count-only --n 65536 --block-q 64 --block-kv 64 --json\n" +
                 convention_notes());
  return [flags] { return run_command(*flags); };
}

}  // namespace tilewalk
