#include "cli/figures.h"

#include <fmt/format.h>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/table.h"
#include "cli/units.h"
#include "sim/fault.h"

namespace tilewalk {
namespace {

std::string theory_text(const Run& run) {
  const Theory theory = run.plan->algorithm().theory(run.plan->problem(), run.plan->config.tiling);
  return theory.known ? grouped(static_cast<std::uint64_t>(theory.hbm_bytes)) : "-";
}

std::string peak_label(const char* what, const Arch& arch, std::string_view level) {
  const std::uint64_t capacity = arch.levels[static_cast<std::size_t>(arch.level(level))].capacity;
  return capacity == 0 ? what : fmt::format("{} (of {})", what, grouped(capacity));
}

}  // namespace

std::vector<Figure> traffic_figures() {
  return {{"HBM bytes", [](const Run& run) { return grouped(run.bytes("hbm")); }, "model"},
          {"  closed form", theory_text, "theory"},
          {"  each in- and output once", [](const Run& run) { return grouped(run.compulsory_bytes()); },
           "theory"}};
}

std::vector<Figure> work_figures() {
  return {
      {"matmul FLOPs executed", [](const Run& run) { return grouped(run.total.flops.matmul); }, "model"},
      {"matmul FLOPs by convention", [](const Run& run) { return grouped(run.useful_flops()); }, "theory"},
      {"exponentials", [](const Run& run) { return grouped(run.total.flops.exp); }, "model"},
      {"other FLOPs", [](const Run& run) { return grouped(run.total.flops.other); }, "model"},
      {"FLOPs per HBM byte", [](const Run& run) { return fmt::format("{:.3g}", run.intensity()); }, "model"},
      {"steps (events)", [](const Run& run) { return grouped(run.total.events); }, "model"}};
}

std::vector<Figure> place_figures(const Arch& arch) {
  return {{peak_label("SRAM peak of a block", arch, "sram"),
           [](const Run& run) { return grouped(run.peak("sram")); }, "model"},
          {peak_label("register peak of a block", arch, "reg"),
           [](const Run& run) { return grouped(run.peak("reg")); }, "model"},
          {"HBM footprint", [](const Run& run) { return grouped(run.hbm_footprint()); }, "model"}};
}

std::string error_text(const OutputCheck& check) {
  if (check.wrong_non_finite > 0) return fmt::format("{} values are NaN or infinite", check.wrong_non_finite);
  return fmt::format("{:.2e} of {:.2e} allowed ({})", check.max_abs_error, check.allowed_error,
                     part_of(check.max_abs_error, check.allowed_error));
}

std::string problem_text(const Problem& p) {
  const std::string n =
      p.n_q == p.n_kv ? fmt::format("n {}", p.n_q) : fmt::format("n {}, n_kv {}", p.n_q, p.n_kv);
  std::string heads = p.heads == 1 ? "1 head" : fmt::format("{} heads", p.heads);
  if (p.kv_heads != p.heads) heads += fmt::format(" on {} key/value heads", p.kv_heads);
  if (p.batch > 1) heads += fmt::format(", batch {}", p.batch);
  return fmt::format("{}, d {}, {}, {}, mask {}, scale {:.6g}", n, p.d, heads, name_of(p.dtype),
                     p.mask.spec(), p.scale);
}

std::string tiling_text(const Plan& plan) {
  const Tiling& tiling = plan.config.tiling;
  return fmt::format("{} x {}{}", tiling.block_q, tiling.block_kv,
                     tiling.order == Order::descending ? ", descending" : "");
}

std::uint64_t hbm_bytes(const Run& run, std::string_view tensor, bool write) {
  const int found = run.plan->tensors.find(tensor);
  if (found < 0) return 0;
  const auto level = static_cast<std::size_t>(run.plan->config.arch.level("hbm"));
  return run.total.bytes[level][write][static_cast<std::size_t>(found)];
}

int judge(const Run& run) {
  if (!run.check || run.check->agrees()) return exit_done;
  const Fault* fault = run.plan->config.fault;
  complain(std::string(run.plan->algorithm().name) + ": the output is wrong: error " +
           error_text(*run.check) + (fault ? ", as planted by --fault " + std::string(fault->name) : ""));
  return exit_disagrees;
}

}  // namespace tilewalk
