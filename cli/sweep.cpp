// tilewalk sweep: how the bytes grow with one variable. Always counted, never computed.
#include <memory>

#include "cli/algorithm_list.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "cli/sweep_range.h"
#include "cli/sweep_report.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

struct Flags {
  RunFlags run;
  Flag over, algorithms, csv, svg;
};

constexpr SweepVariable variables[] = {
    {"n", "--n", &RunFlags::n, "sequence length N", ""},
    {"n_kv", "--n-kv", &RunFlags::n_kv, "keys and values, n_kv", ""},
    {"d", "--d", &RunFlags::d, "size of a head, d", ""},
    {"block_q", "--block-q", &RunFlags::block_q, "rows of a query block", ""},
    {"block_kv", "--block-kv", &RunFlags::block_kv, "rows of a key block", ""},
    {"sram", "--sram", &RunFlags::sram, "SRAM of a block", "B"},
    {"heads", "--heads", &RunFlags::heads, "query heads", ""},
    {"batch", "--batch", &RunFlags::batch, "batch", ""}};

const SweepVariable& variable_named(const std::string& name) {
  for (const SweepVariable& variable : variables) {
    if (variable.name == name) return variable;
  }
  throw std::logic_error("a sweep over " + name);
}

Sweep plan_sweep(const Flags& flags) {
  std::vector<std::string_view> names;
  for (const SweepVariable& variable : variables) names.push_back(variable.name);
  const std::string& over = required(flags.over, "sweep: --over", "say e.g. --over n=512:65536:*2");
  SweepRange range = parse_sweep_range(over, names);
  const SweepVariable& variable = variable_named(range.name);
  if (const Flag& given = flags.run.*variable.member) {
    throw RequestError(std::string(variable.flag) + " " + typed(*given) +
                       ": --over sets it already; leave one of them out");
  }
  return {&variable, std::move(range.values), parse_algorithms(flags.algorithms), {}};
}

SweepPoint count_point(RunFlags flags, const SweepVariable& variable, std::int64_t value,
                       const Algorithm& algorithm, const Progress& progress) {
  flags.*variable.member = std::to_string(value);
  flags.count_only = true;
  SweepPoint point{value, &algorithm, std::nullopt, {}, ""};
  try {
    point.request = resolve(flags);
    point.run = count(plan_for(point.request, algorithm), progress);
  } catch (const RequestError& error) {
    point.why = error.what();
  }
  return point;
}

void perform(Sweep& sweep, const RunFlags& flags) {
  ProgressLine line("counting");
  const auto all = double(sweep.values.size() * sweep.algorithms.size());
  const auto show = line.callback();
  for (const std::int64_t value : sweep.values) {
    for (const Algorithm* algorithm : sweep.algorithms) {
      const auto done = double(sweep.points.size());
      sweep.points.push_back(count_point(flags, *sweep.variable, value, *algorithm,
                                         [&](double part) { show((done + part) / all); }));
      show((done + 1) / all);
    }
  }
  for (const SweepPoint& point : sweep.points) {
    if (point.run) return;
  }
  throw RequestError(sweep.points.front().why);
}

int sweep_command(const Flags& flags) {
  Sweep sweep = plan_sweep(flags);
  if (flags.csv && flags.svg) refuse_same_file(*flags.csv, "--csv", *flags.svg, "--svg");
  std::unique_ptr<OutputFile> csv, svg;
  if (flags.csv) csv = std::make_unique<OutputFile>(*flags.csv, "--csv");
  if (flags.svg) svg = std::make_unique<OutputFile>(*flags.svg, "--svg");
  perform(sweep, flags.run);
  if (csv) csv->write(sweep_csv(sweep));
  if (svg) svg->write(sweep_svg(sweep));
  if (csv) csv->commit();
  if (svg) svg->commit();
  print(flags.run.json ? json_text(sweep_json(sweep)) : sweep_text(sweep));
  return exit_done;
}

}  // namespace

Action add_sweep(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  add_flag(app, "Sweep", {"--over", "VAR=RANGE", "what to vary, see below"}, flags->over);
  add_algorithms_flag(app, flags->algorithms);
  add_problem_flags(app, flags->run);
  add_machine_flags(app, flags->run);
  add_flag(app, "Output", {"--csv", "FILE", "one line a point"}, flags->csv);
  add_flag(app, "Output", {"--svg", "FILE", "a chart with logarithmic axes"}, flags->svg);
  add_json_flag(app, flags->run.json);
  set_footer(app,
             "Example: tilewalk sweep --over n=512:65536:*2 --svg traffic.svg\n"
             "         tilewalk sweep --over block_kv=16:256:*2 --algorithms flash1,flash2 --block-q 64 "
             "--csv blocks.csv\n"
             "VAR is n, n_kv, d, block_q, block_kv, sram, heads or batch; RANGE is from:to:*factor, "
             "from:to:+step or a,b,c.\n"
             "Sweeps count, and compute no values. Points that do not fit the machine stay empty, with the "
             "reason.\n" +
                 convention_notes());
  return [flags] { return sweep_command(*flags); };
}

}  // namespace tilewalk
