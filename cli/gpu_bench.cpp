// tilewalk gpu bench: times of the untraced kernels.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/csv.h"
#include "cli/exit_code.h"
#include "cli/figures.h"
#include "cli/gpu_actions.h"
#include "cli/gpu_run.h"
#include "cli/interrupt.h"
#include "cli/progress_line.h"
#include "cli/units.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

constexpr std::string_view baseline = "standard_cublas";

struct Spread {
  double median = 0, share = 0;  // share: distance of the quartiles / median
};

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double q) {
    const double at = q * double(values.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (at - double(low)) * (values[high] - values[low]);
  };
  const double median = quantile(0.5);
  return {median, (quantile(0.75) - quantile(0.25)) / median};
}

// What all rates are held against, of the same run.
struct Best {
  double flops = 0, bytes = 0;  // a second; flops is 0 without cuBLAS
};

struct Line {
  std::string kernel, refusal;
  std::size_t rounds = 0;
  Spread time;
  double tflops = 0, of_matmul = 0, of_copy = 0, speed_up = 0;  // speed_up: 0 without the baseline
};

struct Cell {
  Problem problem;
  std::vector<Line> lines;
};

Cell run_cell(const std::vector<const gpu::KernelRow*>& kernels, const Request& request, const Best& best) {
  Cell cell{request.problem, {}};
  std::vector<const gpu::KernelRow*> rows;
  std::vector<std::shared_ptr<const Plan>> plans;
  for (const gpu::KernelRow* kernel : kernels) {
    cell.lines.push_back({});
    cell.lines.back().kernel = kernel->name;
    try {
      plans.push_back(kernel_request(*kernel, request, "").plan);
      rows.push_back(kernel);
    } catch (const RequestError& error) {
      cell.lines.back().refusal = error.what();
    }
  }
  constexpr int rounds = 30;
  constexpr double most_seconds = 0.5;
  const gpu::BenchRun run = gpu::time_kernels(rows, plans, rounds, most_seconds);
  expect_done(run.end, run.error);
  double of_baseline = 0;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    Line& line = *std::find_if(cell.lines.begin(), cell.lines.end(),
                               [&](const Line& l) { return l.kernel == rows[n]->name; });
    line.refusal = run.kernels[n].refusal;
    if (!line.refusal.empty()) continue;
    const Run model = count(plans[n]);
    const OnceBytes bytes = once_a_kernel(model);
    line.rounds = run.kernels[n].seconds.size();
    line.time = spread_of(run.kernels[n].seconds);
    line.tflops = double(model.useful_flops()) / line.time.median * 1e-12;
    line.of_matmul = best.flops > 0 ? line.tflops * 1e12 / best.flops : 0;
    line.of_copy = double(bytes.read + bytes.write) / line.time.median / best.bytes;
    if (line.kernel == baseline) of_baseline = line.time.median;
  }
  for (Line& line : cell.lines) {
    if (of_baseline > 0 && line.time.median > 0) line.speed_up = of_baseline / line.time.median;
  }
  return cell;
}

// 16384 tokens of hidden size 2048, as the papers measure.
std::vector<Request> usual_cells(const RunFlags& given) {
  std::vector<Request> cells;
  for (const int d : {64, 128}) {
    for (const char* mask : {"none", "causal"}) {
      for (const int n : {1024, 2048, 4096, 8192, 16384}) {
        RunFlags flags = given;
        flags.n = std::to_string(n);
        flags.d = std::to_string(d);
        flags.batch = std::to_string(16384 / n);
        flags.heads = std::to_string(2048 / d);
        flags.mask = mask;
        if (!flags.dtype) flags.dtype = "bf16";
        cells.push_back(resolve(flags));
      }
    }
  }
  return cells;
}

std::string percent(double share) { return share > 0 ? fmt::format("{:.0f} %", 100 * share) : "-"; }

std::string cell_text(const Cell& cell, bool terminal) {
  Table table({{"kernel"},
               {"time", Align::right},
               {"spread", Align::right},
               {"rounds", Align::right},
               {"TFLOP/s", Align::right},
               {"of matmul", Align::right},
               {"of copy", Align::right},
               {"speed-up", Align::right}});
  std::string refusals;
  for (const Line& line : cell.lines) {
    if (!line.refusal.empty()) {
      refusals += "  " + line.kernel + ": " + line.refusal + "\n";
      continue;
    }
    table.add_row({line.kernel, human_time(line.time.median), fmt::format("{:.1f} %", 100 * line.time.share),
                   fmt::to_string(line.rounds), fmt::format("{:.1f}", line.tflops), percent(line.of_matmul),
                   percent(line.of_copy), line.speed_up > 0 ? fmt::format("{:.2f} x", line.speed_up) : "-"});
  }
  return "\n" + problem_text(cell.problem) + "\n" + table.text(terminal) + refusals;
}

Json cell_json(const Cell& cell) {
  Json lines = Json::array();
  const auto known = [](double x) { return x > 0 ? Json(x) : Json(); };
  for (const Line& l : cell.lines) {
    if (!l.refusal.empty()) {
      lines.push_back({{"kernel", l.kernel}, {"refused", l.refusal}});
      continue;
    }
    lines.push_back({{"kernel", l.kernel},
                     {"time_s", l.time.median},
                     {"spread", l.time.share},
                     {"rounds", l.rounds},
                     {"useful_tflops", l.tflops},
                     {"of_matmul", known(l.of_matmul)},
                     {"of_copy", l.of_copy},
                     {"speed_up", known(l.speed_up)}});
  }
  return {{"problem", problem_json(cell.problem)}, {"kernels", lines}};
}

std::string csv_of(const std::vector<Cell>& cells) {
  std::string csv =
      "kernel,dtype,batch,heads,kv_heads,n,n_kv,d,mask,time_s,spread,rounds,useful_tflops,of_matmul,of_copy,"
      "speed_up_over_standard_cublas\n";
  for (const Cell& cell : cells) {
    for (const Line& l : cell.lines) {
      if (!l.refusal.empty()) continue;
      csv += fmt::format("{},{},{:.6g},{:.3f},{},{:.2f},{:.3f},{:.3f},{:.3f}\n", l.kernel,
                         csv_problem(cell.problem), l.time.median, l.time.share, l.rounds, l.tflops,
                         l.of_matmul, l.of_copy, l.speed_up);
    }
  }
  return csv;
}

// Where every kernel refused every problem there is nothing to show.
void expect_lines(const std::vector<Cell>& cells) {
  for (const Cell& cell : cells) {
    for (const Line& line : cell.lines) {
      if (line.refusal.empty()) return;
    }
  }
  throw RequestError(cells.front().lines.front().refusal);
}

}  // namespace

int gpu_bench(const GpuFlags& flags) {
  const auto kernels = chosen_kernels(flags.kernel ? flags.kernel : flags.kernel_name);
  RunFlags sizes = flags.run;
  sizes.dtype.reset();  // the table has it, too
  const std::vector<Request> requests =
      names_a_problem(sizes) ? std::vector<Request>{resolve(flags.run)} : usual_cells(flags.run);
  require_device();
  const DType dtype = requests.front().problem.dtype;
  const gpu::DeviceBest device = gpu::measure_device(dtype == DType::f32 ? DType::f16 : dtype);
  expect_done(device.end, device.error);
  const Spread matmul = spread_of(device.matmul_seconds), copy = spread_of(device.copy_seconds);
  const Best best{matmul.median > 0 ? device.matmul_flops / matmul.median : 0,
                  device.copy_bytes / copy.median};
  std::string head = fmt::format(
      "{}: 8192^3 product in 16 bit {}, copy {:.2f} TB/s (read and written)\nmedians; spread: between the "
      "quartiles; "
      "of "
      "copy: each tensor moved once a kernel; speed-up: over {}\n",
      gpu::device_info().name,
      best.flops > 0 ? fmt::format("{:.0f} TFLOP/s ({:.1f} %)", best.flops * 1e-12, 100 * matmul.share)
                     : "none",
      best.bytes * 1e-12, baseline);
  Json softmax = Json::array();
  std::string softmax_text;
  for (const gpu::SoftmaxTime& row : device.softmax) {
    const double share = row.bytes / spread_of(row.seconds).median / best.bytes;
    softmax.push_back({{"n", row.n}, {"of_copy", share}});
    softmax_text += fmt::format("{} n {} {:.0f} %", softmax_text.empty() ? "" : ",", row.n, 100 * share);
  }
  head += "softmax of " + std::string(baseline) + ", of copy:" + softmax_text + "\n";
  if (!flags.run.json) print(head);
  std::vector<Cell> cells;
  Json json = Json::array();
  for (const Request& request : requests) {
    throw_if_interrupted();
    cells.push_back(run_cell(kernels, request, best));
    json.push_back(cell_json(cells.back()));
    if (!flags.run.json) print(cell_text(cells.back(), output_is_terminal()));
    flush_output();
    if (flags.csv)
      write_measured_csv(*flags.csv, csv_of(cells), head);  // each time: a long table can be left
  }
  expect_lines(cells);
  if (flags.run.json)
    print(json_text({{"schema", 1},
                     {"device", gpu::device_info().name},
                     {"origin", "measured"},
                     {"matmul_flops_per_s", best.flops > 0 ? Json(best.flops) : Json()},
                     {"copy_bytes_per_s", best.bytes},
                     {"softmax", softmax},
                     {"cells", json}}));
  return exit_done;
}

}  // namespace tilewalk
