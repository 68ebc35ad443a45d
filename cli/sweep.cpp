// tilewalk sweep: how the bytes grow with one variable. Always counted, never computed.
#include <fmt/format.h>

#include <memory>

#include "cli/algorithm_list.h"
#include "cli/chart.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/figures.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "cli/run_json.h"
#include "cli/sweep_range.h"
#include "cli/table.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

struct Flags {
  RunFlags run;
  Flag over, algorithms, csv, svg;
};

struct Variable {
  std::string_view name;
  const char* flag;
  Flag RunFlags::*member;
  const char *title, *unit;
};
constexpr Variable variables[] = {{"n", "--n", &RunFlags::n, "sequence length N", ""},
                                  {"n_kv", "--n-kv", &RunFlags::n_kv, "keys and values, n_kv", ""},
                                  {"d", "--d", &RunFlags::d, "size of a head, d", ""},
                                  {"block_q", "--block-q", &RunFlags::block_q, "rows of a query block", ""},
                                  {"block_kv", "--block-kv", &RunFlags::block_kv, "rows of a key block", ""},
                                  {"sram", "--sram", &RunFlags::sram, "SRAM of a block", "B"},
                                  {"heads", "--heads", &RunFlags::heads, "query heads", ""},
                                  {"batch", "--batch", &RunFlags::batch, "batch", ""}};

// One algorithm at one value: its run, or why there is none.
struct Point {
  std::int64_t value;
  const Algorithm* algorithm;
  std::optional<Run> run;
  Request request;
  std::string why;
};

struct Sweep {
  const Variable* variable;
  std::vector<std::int64_t> values;
  std::vector<const Algorithm*> algorithms;
  std::vector<Point> points;  // value by value, and in each the algorithms in order

  const Point& at(std::size_t value, std::size_t algorithm) const {
    return points[value * algorithms.size() + algorithm];
  }
};

const Variable& variable_named(const std::string& name) {
  for (const Variable& variable : variables) {
    if (variable.name == name) return variable;
  }
  throw std::logic_error("a sweep over " + name);
}

Sweep plan_sweep(const Flags& flags) {
  std::vector<std::string_view> names;
  for (const Variable& variable : variables) names.push_back(variable.name);
  const std::string& over = required(flags.over, "sweep: --over", "say e.g. --over n=512:65536:*2");
  SweepRange range = parse_sweep_range(over, names);
  const Variable& variable = variable_named(range.name);
  if (const Flag& given = flags.run.*variable.member) {
    throw RequestError(std::string(variable.flag) + " " + typed(*given) +
                       ": --over sets it already; leave one of them out");
  }
  return {&variable, std::move(range.values), parse_algorithms(flags.algorithms), {}};
}

Point count_point(RunFlags flags, const Variable& variable, std::int64_t value, const Algorithm& algorithm,
                  const Progress& progress) {
  flags.*variable.member = std::to_string(value);
  flags.count_only = true;
  Point point{value, &algorithm, std::nullopt, {}, ""};
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
  for (const Point& point : sweep.points) {
    if (point.run) return;
  }
  throw RequestError(sweep.points.front().why);
}

std::string theory_cell(const Run& run) {
  const Theory theory = run.plan->algorithm().theory(run.plan->problem(), run.plan->config.tiling);
  return theory.known ? fmt::format("{:.0f}", theory.hbm_bytes) : "";
}

std::string quoted_for_csv(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

// One line a point; the columns of a point that does not fit are empty, and the last says why.
std::string csv_text(const Sweep& sweep) {
  std::string text =
      "variable,value,algorithm,block_q,block_kv,hbm_read_bytes,hbm_write_bytes,hbm_bytes,theory_hbm_bytes,"
      "sram_peak_bytes,"
      "reg_peak_bytes,matmul_flops,exp,other_flops,events,time_s,origin,note\n";
  for (const Point& point : sweep.points) {
    text += fmt::format("{},{},{},", sweep.variable->name, point.value, point.algorithm->name);
    if (!point.run) {
      text += fmt::format(",,,,,,,,,,,,,,{}\n", quoted_for_csv(point.why));
      continue;
    }
    const Run& run = *point.run;
    const Tiling& tiling = run.plan->config.tiling;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{:.9g},model,\n", tiling.block_q,
                        tiling.block_kv, run.bytes("hbm", false), run.bytes("hbm", true), run.bytes("hbm"),
                        theory_cell(run), run.peak("sram"), run.peak("reg"), run.total.flops.matmul,
                        run.total.flops.exp, run.total.flops.other, run.total.events, run.time_estimate());
  }
  return text;
}

// The closed form beside the model, where it says something else.
std::optional<Series> theory_series(const Series& model, const std::vector<double>& theory, int index) {
  if (theory == model.y) return std::nullopt;
  Series series{model.name + ", closed form", model.x, theory};
  series.dashed = true;
  series.colour_of = index;
  for (const double bytes : theory) {
    if (bytes > 0) return series;
  }
  return std::nullopt;
}

std::vector<Series> series_of(const Sweep& sweep) {
  std::vector<Series> models, theories;
  for (std::size_t a = 0; a < sweep.algorithms.size(); ++a) {
    Series model{std::string(sweep.algorithms[a]->name), {}, {}};
    std::vector<double> theory;
    for (std::size_t v = 0; v < sweep.values.size(); ++v) {
      const Point& point = sweep.at(v, a);
      model.x.push_back(double(point.value));
      model.y.push_back(point.run ? double(point.run->bytes("hbm")) : 0);
      const Theory closed =
          point.run ? point.algorithm->theory(point.run->plan->problem(), point.run->plan->config.tiling)
                    : Theory();
      theory.push_back(closed.known ? closed.hbm_bytes : 0);
    }
    if (auto series = theory_series(model, theory, static_cast<int>(a)))
      theories.push_back(std::move(*series));
    models.push_back(std::move(model));
  }
  models.insert(models.end(), theories.begin(), theories.end());
  return models;
}

const Point& first_counted(const Sweep& sweep) {
  for (const Point& point : sweep.points) {
    if (point.run) return point;
  }
  return sweep.points.front();
}

std::string svg_text(const Sweep& sweep) {
  const Point& point = first_counted(sweep);
  ChartText text;
  text.title = fmt::format("HBM traffic against {}", sweep.variable->title);
  text.subtitle = fmt::format("model: counted by tilewalk; {} (at {} {}), machine {}",
                              problem_text(point.request.problem), sweep.variable->name, point.value,
                              point.request.arch.name);
  text.x_title = sweep.variable->title;
  text.x_unit = sweep.variable->unit;
  text.y_title = "HBM bytes read and written";
  text.description = text.title + ".";
  return svg_chart(text, series_of(sweep));
}

std::string table_text(const Sweep& sweep) {
  std::vector<Column> columns{{std::string(sweep.variable->name), Align::right}};
  for (const Algorithm* algorithm : sweep.algorithms) {
    columns.push_back({std::string(algorithm->name), Align::right});
    columns.push_back({"blocks", Align::right});
  }
  Table table(columns);
  for (std::size_t v = 0; v < sweep.values.size(); ++v) {
    std::vector<std::string> cells{grouped(static_cast<std::uint64_t>(sweep.values[v]))};
    for (std::size_t a = 0; a < sweep.algorithms.size(); ++a) {
      const Point& point = sweep.at(v, a);
      cells.push_back(point.run ? grouped(point.run->bytes("hbm")) : "-");
      cells.push_back(point.run ? tiling_text(*point.run->plan) : "");
    }
    table.add_row(cells);
  }
  return table.text(output_is_terminal());
}

std::string report(const Sweep& sweep) {
  const Point& point = first_counted(sweep);
  std::string text = fmt::format("HBM bytes read and written (model) against {}\n", sweep.variable->title);
  text += fmt::format("problem  {} (at {} {})\n", problem_text(point.request.problem), sweep.variable->name,
                      point.value);
  text += fmt::format("machine  {}: {}\n\n", point.request.arch.name, point.request.arch.title) +
          table_text(sweep);
  for (const Point& missing : sweep.points) {
    if (!missing.run)
      text += fmt::format("{} at {} {}: {}\n", missing.algorithm->name, sweep.variable->name, missing.value,
                          missing.why);
  }
  return text;
}

Json sweep_json(const Sweep& sweep) {
  Json json = {{"schema", 1},
               {"over", sweep.variable->name},
               {"values", sweep.values},
               {"runs", Json::array()},
               {"refused", Json::array()}};
  for (const Point& point : sweep.points) {
    Json one = point.run ? run_json(*point.run, point.request)
                         : Json{{"algorithm", point.algorithm->name}, {"why", point.why}};
    one["value"] = point.value;
    json[point.run ? "runs" : "refused"].push_back(std::move(one));
  }
  return json;
}

int sweep_command(const Flags& flags) {
  Sweep sweep = plan_sweep(flags);
  std::unique_ptr<OutputFile> csv, svg;
  if (flags.csv) csv = std::make_unique<OutputFile>(*flags.csv, "--csv");
  if (flags.svg) svg = std::make_unique<OutputFile>(*flags.svg, "--svg");
  perform(sweep, flags.run);
  if (csv) csv->write(csv_text(sweep));
  if (svg) svg->write(svg_text(sweep));
  if (csv) csv->commit();
  if (svg) svg->commit();
  print(flags.run.json ? json_text(sweep_json(sweep)) : report(sweep));
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
