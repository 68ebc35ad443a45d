#include "cli/loop_order.h"

#include <fmt/format.h>

#include "cli/figures.h"
#include "cli/table.h"
#include "cli/units.h"

namespace tilewalk {
namespace {

bool is_fused(const Plan& plan) {
  const int s = plan.tensors.find("S");
  return s < 0 || plan.tensors[static_cast<std::size_t>(s)].level != plan.config.arch.level("hbm");
}

const Run* with_outer(const std::vector<const Run*>& runs, Axis outer) {
  for (const Run* run : runs) {
    const Plan& plan = *run->plan;
    if (is_fused(plan) && plan.algorithm().softmax && plan.kernels.back().row->outer == outer) return run;
  }
  return nullptr;
}

std::uint64_t moved(const Run& run, std::initializer_list<std::string_view> tensors) {
  std::uint64_t bytes = 0;
  for (const auto tensor : tensors) bytes += hbm_bytes(run, tensor, false) + hbm_bytes(run, tensor, true);
  return bytes;
}

std::string described(const Run& run) {
  return fmt::format("{} at {}", run.plan->algorithm().name, tiling_text(*run.plan));
}

}  // namespace

std::string loop_order_text(const std::vector<const Run*>& runs) {
  const Run *kv_outer = with_outer(runs, Axis::kv), *q_outer = with_outer(runs, Axis::q);
  if (!kv_outer || !q_outer) return "";
  const std::uint64_t by_kv = kv_outer->bytes("hbm"), by_q = q_outer->bytes("hbm");
  if (by_kv == 0 || by_q == 0) return "";
  const char* verdict = by_q < by_kv   ? "Q outer moves less"
                        : by_q > by_kv ? "K/V outer moves less"
                                       : "both move the same";
  const double ratio = by_q < by_kv ? double(by_kv) / double(by_q) : double(by_q) / double(by_kv);
  const auto blocks = [](std::int64_t count, const char* kind) {
    return fmt::format("{} {} block{}", count, kind, count == 1 ? "" : "s");
  };
  return fmt::format(
      "loop order: {} ({:.3g} x)\n"
      "  K/V outer ({}) moves {}: K and V once, {}, but Q, O, m and l for each of {}, {}\n"
      "  Q outer ({}) moves {}: Q and O once, {}, but K and V for each of {}, {}",
      verdict, ratio, described(*kv_outer), human_bytes(by_kv), human_bytes(moved(*kv_outer, {"K", "V"})),
      blocks(kv_outer->plan->kernels.back().kv_blocks, "key"),
      human_bytes(by_kv - moved(*kv_outer, {"K", "V"})), described(*q_outer), human_bytes(by_q),
      human_bytes(by_q - moved(*q_outer, {"K", "V"})),
      blocks(q_outer->plan->kernels.back().q_blocks, "query"), human_bytes(moved(*q_outer, {"K", "V"})));
}

}  // namespace tilewalk
