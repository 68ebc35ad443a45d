#include "cli/compare_report.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/console.h"
#include "cli/figures.h"
#include "cli/loop_order.h"
#include "cli/table.h"
#include "cli/units.h"

namespace tilewalk {
namespace {

// Largest difference between two outputs; NaN or infinity on both sides in the same place is none.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (std::isnan(a[n]) && std::isnan(b[n])) continue;
    const double distance = a[n] == b[n] ? 0 : std::abs(double(a[n]) - double(b[n]));
    most = std::isnan(distance) ? INFINITY : std::max(most, distance);
  }
  return most;
}

// The table under construction: one row a figure, one column an algorithm, and the origin.
class Comparison {
 public:
  explicit Comparison(const std::vector<ComparedRun>& entries)
      : entries_(entries), table_(columns(entries)) {}

  template <class Value>
  void row(const std::string& label, Value value, const char* origin, Style style = Style::plain) {
    std::vector<std::string> cells{label};
    for (const ComparedRun& entry : entries_) cells.push_back(entry.run ? value(*entry.run) : "-");
    cells.push_back(origin);
    table_.add_row(cells, style);
  }
  void rows(const std::vector<Figure>& figures) {
    for (const Figure& figure : figures) row(figure.label, figure.value, figure.origin);
  }
  void bytes_rows(bool write) {
    for (const std::string_view tensor : {"Q", "K", "V", "S", "P", "O", "l", "m", "L"}) {
      bool any = false;
      for (const ComparedRun& entry : entries_) any |= entry.run && hbm_bytes(*entry.run, tensor, write) > 0;
      const auto value = [&](const Run& run) { return grouped(hbm_bytes(run, tensor, write)); };
      if (any) row(fmt::format("HBM bytes {} {}", write ? "written," : "read,", tensor), value, "model");
    }
  }
  std::string text() const { return table_.text(output_is_terminal()); }

 private:
  static std::vector<Column> columns(const std::vector<ComparedRun>& entries) {
    std::vector<Column> columns{{"figure"}};
    for (const ComparedRun& entry : entries)
      columns.push_back({std::string(entry.algorithm->name), Align::right});
    columns.push_back({"origin"});
    return columns;
  }

  const std::vector<ComparedRun>& entries_;
  Table table_;
};

std::string ratio_text(const Run& run, const Run& first) {
  const std::uint64_t bytes = run.bytes("hbm");
  return bytes == 0 ? "-" : fmt::format("{:.4g}", double(bytes) / double(first.bytes("hbm")));
}

std::string difference_text(const Run& run, const Run& first) {
  if (run.plan->algorithm().softmax != first.plan->algorithm().softmax) return "other function";
  return fmt::format("{:.2e}", difference(run.o, first.o));
}

void add_output_rows(Comparison& table, const Run& first) {
  table.row(
      "error against float64", [](const Run& run) { return fmt::format("{:.2e}", run.check->max_abs_error); },
      "model");
  table.row(
      "  allowed", [](const Run& run) { return fmt::format("{:.2e}", run.check->allowed_error); }, "theory");
  table.row(
      "  share of it",
      [](const Run& run) { return part_of(run.check->max_abs_error, run.check->allowed_error); }, "model");
  table.row(
      fmt::format("O differs from {}'s by", first.plan->algorithm().name),
      [&](const Run& run) { return difference_text(run, first); }, "model");
}

std::string table_text(const std::vector<ComparedRun>& entries, const Run& first, bool values) {
  Comparison table(entries);
  table.row(
      "blocks, queries x keys", [](const Run& run) { return tiling_text(*run.plan); }, "");
  table.bytes_rows(false);
  table.bytes_rows(true);
  table.row(
      "HBM bytes", [](const Run& run) { return grouped(run.bytes("hbm")); }, "model", Style::bold);
  table.row(
      fmt::format("  as a share of {}'s", first.plan->algorithm().name),
      [&](const Run& run) { return ratio_text(run, first); }, "model", Style::bold);
  auto traffic = traffic_figures();
  traffic.erase(traffic.begin());
  table.rows(traffic);
  table.rows(place_figures(first.plan->config.arch));
  table.rows(work_figures());
  // Says why K/V outer is slow on few heads: it keeps one SM a head busy.
  const auto ctas = [](const Run& run) {
    return grouped(static_cast<std::uint64_t>(run.plan->kernels.back().ctas));
  };
  table.row("CTAs of the last kernel", ctas, "model");
  table.row(
      "time", [](const Run& run) { return human_time(run.time_estimate()); }, "model");
  if (values) add_output_rows(table, first);
  return table.text();
}

Json ratios_json(const std::vector<ComparedRun>& entries, const Run& first) {
  Json json = Json::object();
  for (const ComparedRun& entry : entries) {
    const bool known = entry.run && first.bytes("hbm") > 0;
    json[std::string(entry.algorithm->name)] =
        known ? Json(double(entry.run->bytes("hbm")) / double(first.bytes("hbm"))) : Json();
  }
  return json;
}

}  // namespace

std::vector<const Run*> runs_of(const std::vector<ComparedRun>& entries) {
  std::vector<const Run*> runs;
  for (const ComparedRun& entry : entries) {
    if (entry.run) runs.push_back(&*entry.run);
  }
  return runs;
}

std::string compare_text(const std::vector<ComparedRun>& entries, const Request& request) {
  const auto runs = runs_of(entries);
  const Arch& arch = runs.front()->plan->config.arch;
  std::string text = "problem  " + problem_text(request.problem) + "\n";
  text += "inputs   " + (request.count_only ? "none: counted without values" : request.inputs) + "\n";
  text += fmt::format("machine  {}: {}\n\n", arch.name, arch.title);
  text += table_text(entries, *runs.front(), !request.count_only);
  for (const ComparedRun& entry : entries) {
    if (!entry.run) text += fmt::format("{}: {}\n", entry.algorithm->name, entry.why);
  }
  const std::string order = loop_order_text(runs);
  return order.empty() ? text : text + order + "\n";
}

Json compare_json(const std::vector<ComparedRun>& entries, const Request& request) {
  const auto runs = runs_of(entries);
  Json json = {{"schema", 1}, {"runs", Json::array()}, {"refused", Json::array()}};
  for (const ComparedRun& entry : entries) {
    if (!entry.run) json["refused"].push_back({{"algorithm", entry.algorithm->name}, {"why", entry.why}});
    if (!entry.run) continue;
    Json one = run_json(*entry.run, request);
    const bool same =
        !request.count_only && entry.algorithm->softmax == runs.front()->plan->algorithm().softmax;
    one["max_difference_to_first"] = same ? Json(difference(entry.run->o, runs.front()->o)) : Json();
    json["runs"].push_back(std::move(one));
  }
  json["ratio_hbm"] = ratios_json(entries, *runs.front());
  const std::string order = loop_order_text(runs);
  json["loop_order"] = order.empty() ? Json() : Json(order);
  return json;
}

}  // namespace tilewalk
