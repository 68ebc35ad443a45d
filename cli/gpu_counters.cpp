// tilewalk gpu counters: hardware counters of the untraced kernels beside the model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/csv.h"
#include "cli/exit_code.h"
#include "cli/figures.h"
#include "cli/gpu_actions.h"
#include "cli/gpu_run.h"
#include "cli/interrupt.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

struct Shape {
  int batch, heads, kv_heads, n, n_kv, d;
  const char *mask, *dtype;
};

// The paper's Fig. 2 shape, then both head sizes at every length, ragged and grouped ones. Small enough that
// the scalar rungs, whose shared-memory accesses the profiler counts one by one, take seconds.
constexpr Shape shapes[] = {
    {64, 16, 16, 1024, 1024, 64, "none", "f16"},   {16, 16, 16, 1024, 1024, 64, "none", "f16"},
    {16, 16, 16, 1024, 1024, 64, "causal", "f16"}, {4, 16, 16, 2048, 2048, 64, "none", "f16"},
    {1, 16, 16, 4096, 4096, 64, "none", "bf16"},   {1, 16, 16, 4096, 4096, 64, "causal", "bf16"},
    {1, 4, 4, 8192, 8192, 64, "none", "f16"},      {1, 2, 2, 16384, 16384, 64, "causal", "f16"},
    {8, 16, 16, 1024, 1024, 128, "none", "f16"},   {8, 16, 16, 1024, 1024, 128, "causal", "f16"},
    {2, 16, 16, 2048, 2048, 128, "none", "bf16"},  {1, 8, 8, 4096, 4096, 128, "none", "f16"},
    {1, 8, 8, 4096, 4096, 128, "causal", "f16"},   {1, 2, 2, 8192, 8192, 128, "none", "f16"},
    {2, 16, 4, 2048, 2048, 128, "causal", "bf16"}, {3, 8, 8, 1500, 1800, 64, "causal", "f16"},
    {4, 8, 8, 2000, 2000, 64, "window:256", "f16"}};

RunFlags flags_of(const Shape& s) {
  RunFlags f;
  f.batch = std::to_string(s.batch);
  f.heads = std::to_string(s.heads);
  f.kv_heads = std::to_string(s.kv_heads);
  f.n = std::to_string(s.n);
  f.n_kv = std::to_string(s.n_kv);
  f.d = std::to_string(s.d);
  f.mask = s.mask;
  f.dtype = s.dtype;
  return f;
}

struct Line {
  std::string kernel, refusal;
  gpu::Counters cold, warm;
  OnceBytes once;
  double model_into = NAN, model_out = NAN;  // the IO model's loads and stores
};

struct Cell {
  Problem problem;
  std::vector<Line> lines;
};

Line count_one(const gpu::KernelRow& kernel, const Request& request) {
  Line line;
  line.kernel = kernel.name;
  try {
    const KernelRequest resolved = kernel_request(kernel, request, "");
    const gpu::CounterRun run = gpu::count_kernel(kernel, *resolved.plan);
    expect_done(run.end, run.error);
    line.cold = run.cold;
    line.warm = run.warm;
    const Run model = count(resolved.plan);
    line.once = once_a_kernel(model);
    if (kernel.traceable) {
      line.model_into = double(model.bytes("hbm", false));
      line.model_out = double(model.bytes("hbm", true));
    }
  } catch (const RequestError& error) {
    line.refusal = error.what();
  }
  return line;
}

std::string bytes_text(double bytes) {
  return std::isnan(bytes) ? "-" : human_bytes(static_cast<std::uint64_t>(bytes));
}

std::string with_error(double measured, double model) {
  if (std::isnan(measured)) return "-";
  if (std::isnan(model) || model == 0) return bytes_text(measured);
  return fmt::format("{} {:+.2f} %", bytes_text(measured), 100 * (measured / model - 1));
}

std::string cell_text(const Cell& cell, bool terminal) {
  Table table({{"kernel"},
               {"into SMs", Align::right},
               {"model", Align::right},
               {"out of SMs", Align::right},
               {"model", Align::right},
               {"DRAM read", Align::right},
               {"compulsory", Align::right},
               {"written", Align::right},
               {"warm read", Align::right},
               {"shared", Align::right},
               {"spills", Align::right}});
  std::string refusals;
  for (const Line& l : cell.lines) {
    if (!l.refusal.empty()) {
      refusals += "  " + l.kernel + ": " + l.refusal + "\n";
      continue;
    }
    const double spills = l.cold.spill_loads + l.cold.spill_stores;
    table.add_row({l.kernel, with_error(l.cold.into_sms, l.model_into), bytes_text(l.model_into),
                   with_error(l.cold.out_of_sms, l.model_out), bytes_text(l.model_out),
                   with_error(l.cold.dram_read, double(l.once.read)), bytes_text(double(l.once.read)),
                   bytes_text(l.cold.dram_write), bytes_text(l.warm.dram_read), bytes_text(l.cold.shared),
                   std::isnan(spills) ? "-" : fmt::format("{:.0f}", spills)});
  }
  return "\n" + problem_text(cell.problem) + "\n" + table.text(terminal) + refusals;
}

Json counter(double value) { return std::isnan(value) ? Json() : Json(static_cast<std::int64_t>(value)); }

Json counters_json(const gpu::Counters& c) {
  return {{"dram_read", counter(c.dram_read)},
          {"dram_write", counter(c.dram_write)},
          {"l2_read", counter(c.l2_read)},
          {"l2_write", counter(c.l2_write)},
          {"into_sms", counter(c.into_sms)},
          {"out_of_sms", counter(c.out_of_sms)},
          {"shared", counter(c.shared)},
          {"spill_loads", counter(c.spill_loads)},
          {"spill_stores", counter(c.spill_stores)}};
}

Json cell_json(const Cell& cell) {
  Json lines = Json::array();
  for (const Line& l : cell.lines) {
    if (!l.refusal.empty()) {
      lines.push_back({{"kernel", l.kernel}, {"refused", l.refusal}});
      continue;
    }
    lines.push_back({{"kernel", l.kernel},
                     {"cold", counters_json(l.cold)},
                     {"warm", counters_json(l.warm)},
                     {"model", {{"into_sms", counter(l.model_into)}, {"out_of_sms", counter(l.model_out)}}},
                     {"compulsory", {{"dram_read", l.once.read}, {"dram_write", l.once.write}}}});
  }
  return {{"problem", problem_json(cell.problem)}, {"kernels", lines}};
}

std::string csv_of(const std::vector<Cell>& cells) {
  std::string csv =
      "kernel,dtype,batch,heads,kv_heads,n,n_kv,d,mask,cache,into_sms,model_into_sms,out_of_sms,model_out_of_"
      "sms,"
      "dram_read,compulsory_read,dram_write,compulsory_write,l2_read,l2_write,shared,spill_loads,spill_"
      "stores\n";
  const auto number = [](double x) { return std::isnan(x) ? std::string() : fmt::format("{:.0f}", x); };
  for (const Cell& cell : cells) {
    for (const Line& l : cell.lines) {
      if (!l.refusal.empty()) continue;
      for (const bool warm : {false, true}) {
        const gpu::Counters& c = warm ? l.warm : l.cold;
        csv +=
            fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", l.kernel,
                        csv_problem(cell.problem), warm ? "warm" : "cold", number(c.into_sms),
                        number(l.model_into), number(c.out_of_sms), number(l.model_out), number(c.dram_read),
                        l.once.read, number(c.dram_write), l.once.write, number(c.l2_read),
                        number(c.l2_write), number(c.shared), number(c.spill_loads), number(c.spill_stores));
      }
    }
  }
  return csv;
}

constexpr const char* legend =
    "into, out of SMs: between L2 and SMs, beside the model's HBM loads and stores (signed error); DRAM: "
    "beside\n"
    "the compulsory bytes, each tensor once a kernel; cold: after reading 512 MB of other data; warm: after "
    "the "
    "same\n"
    "kernel; spills: instructions\n";

}  // namespace

int gpu_counters(const GpuFlags& flags) {
  const auto kernels = chosen_kernels(flags.kernel ? flags.kernel : flags.kernel_name);
  std::vector<Request> requests;
  if (names_a_problem(flags.run)) {
    requests.push_back(resolve(flags.run));
  } else {
    for (const Shape& shape : shapes) requests.push_back(resolve(flags_of(shape)));
  }
  require_device();
  const std::string device = gpu::device_info().name;
  if (!flags.run.json) print(device + "\n" + legend);
  std::vector<Cell> cells;
  Json json = Json::array();
  for (const Request& request : requests) {
    cells.push_back({request.problem, {}});
    for (const gpu::KernelRow* kernel : kernels) {
      throw_if_interrupted();
      cells.back().lines.push_back(count_one(*kernel, request));
    }
    json.push_back(cell_json(cells.back()));
    if (!flags.run.json) print(cell_text(cells.back(), output_is_terminal()));
    flush_output();
    if (flags.csv)
      write_measured_csv(*flags.csv, csv_of(cells), legend);  // each time: a long table can be left
  }
  const bool nothing = std::all_of(cells.begin(), cells.end(), [](const Cell& cell) {
    return std::all_of(cell.lines.begin(), cell.lines.end(),
                       [](const Line& l) { return !l.refusal.empty(); });
  });
  if (nothing) throw RequestError(cells.front().lines.front().refusal);
  if (flags.run.json)
    print(json_text({{"schema", 1}, {"device", device}, {"origin", "measured"}, {"cells", json}}));
  return exit_done;
}

}  // namespace tilewalk
