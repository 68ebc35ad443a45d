#include "cli/sweep_report.h"

#include <fmt/format.h>

#include "cli/chart.h"
#include "cli/console.h"
#include "cli/figures.h"
#include "cli/table.h"

namespace tilewalk {
namespace {

std::string theory_cell(const Run& run) {
  const Theory theory = run.plan->algorithm().theory(run.plan->problem(), run.plan->config.tiling);
  return theory.known ? fmt::format("{:.0f}", theory.hbm_bytes) : "";
}

std::string quoted_for_csv(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
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
      const SweepPoint& point = sweep.at(v, a);
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

const SweepPoint& first_counted(const Sweep& sweep) {
  for (const SweepPoint& point : sweep.points) {
    if (point.run) return point;
  }
  return sweep.points.front();
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
      const SweepPoint& point = sweep.at(v, a);
      cells.push_back(point.run ? grouped(point.run->bytes("hbm")) : "-");
      cells.push_back(point.run ? tiling_text(*point.run->plan) : "");
    }
    table.add_row(cells);
  }
  return table.text(output_is_terminal());
}

}  // namespace

std::string sweep_csv(const Sweep& sweep) {
  std::string text =
      "variable,value,algorithm,block_q,block_kv,hbm_read_bytes,hbm_write_bytes,hbm_bytes,theory_hbm_bytes,"
      "sram_peak_bytes,reg_peak_bytes,matmul_flops,exp,other_flops,events,time_s,origin,note\n";
  for (const SweepPoint& point : sweep.points) {
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

std::string sweep_svg(const Sweep& sweep) {
  const SweepPoint& point = first_counted(sweep);
  ChartText text;
  text.title = fmt::format("HBM traffic against {}", sweep.variable->title);
  text.subtitle = fmt::format("model: counted by tilewalk; {}; the first {} is {}; machine {}",
                              problem_text(point.request.problem), sweep.variable->name, point.value,
                              point.request.arch.name);
  text.x_title = sweep.variable->title;
  text.x_unit = sweep.variable->unit;
  text.y_title = "HBM bytes read and written";
  text.description = text.title + ".";
  return svg_chart(text, series_of(sweep));
}

std::string sweep_text(const Sweep& sweep) {
  const SweepPoint& point = first_counted(sweep);
  std::string text = fmt::format("HBM bytes read and written (model) against {}\n", sweep.variable->title);
  text += fmt::format("problem  {}; the first {} is {}\n", problem_text(point.request.problem),
                      sweep.variable->name, point.value);
  text += fmt::format("machine  {}: {}\n\n", point.request.arch.name, point.request.arch.title) +
          table_text(sweep);
  for (const SweepPoint& missing : sweep.points) {
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
  for (const SweepPoint& point : sweep.points) {
    Json one = point.run ? run_json(*point.run, point.request)
                         : Json{{"algorithm", point.algorithm->name}, {"why", point.why}};
    one["value"] = point.value;
    json[point.run ? "runs" : "refused"].push_back(std::move(one));
  }
  return json;
}

}  // namespace tilewalk
