#include "cli/kernel_check.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

#include "cli/figures.h"
#include "sim/describe.h"
#include "sim/run.h"

namespace tilewalk {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double d = std::abs(a - b);
  return std::isnan(d) ? infinity : d;
}

// What L = m + log l of each row may differ by: |dm| + |dl| / l, and the rounding of the sum.
std::vector<double> allowed_lse(const Problem& p, const Inputs& in, const Reference& ref) {
  std::vector<double> allowed;
  for (std::int64_t instance = 0; instance < p.instances(); ++instance) {
    const float* k = in.k.data() + p.kv_instance(instance) * p.n_kv * p.d;
    for (std::int64_t i = 0; i < p.n_q; ++i) {
      const std::int64_t row = instance * p.n_q + i;
      const float* q = in.q.data() + row * p.d;
      double most = 0;
      for (std::int64_t j = 0; j < p.n_kv; ++j) {
        if (!p.visible(i, j)) continue;
        double sum = 0;
        for (std::int64_t x = 0; x < p.d; ++x) sum += std::abs(double(q[x]) * double(k[j * p.d + x]));
        most = std::max(most, sum);
      }
      const double lse = ref.lse[static_cast<std::size_t>(row)];
      const double rounding = std::isfinite(lse) ? 0x1p-22 * std::abs(lse) : 0;
      allowed.push_back(3 * 8 * 0x1p-24 * most * std::abs(double(p.scale)) + 1e-5 + rounding);
    }
  }
  return allowed;
}

class Check {
 public:
  Check(std::shared_ptr<const Plan> plan, const Inputs& inputs, const KernelResult& result)
      : plan_(std::move(plan)), inputs_(inputs), found_(result) {}

  KernelCheck run() {
    out_.kernel = found_.kernel;
    out_.malformed = found_.malformed;
    out_.fault = found_.fault;
    out_.problem = problem_text(plan_->problem());
    out_.tiling = tiling_text(*plan_);
    const Trace expected = record(plan_, &inputs_);
    out_.diff = compare(*plan_, inputs_, expected, found_.trace, Flow::moves);
    out_.bytes = compare_bytes(plan_, found_.trace);
    check_output_values();
    find_difference();
    write_json();
    return std::move(out_);
  }

 private:
  void check_output_values() {
    const Problem& p = plan_->problem();
    const Reference ref = reference(p, inputs_, true);
    const std::vector<float> exact(ref.o.begin(), ref.o.end());
    const OutputCheck check = check_output(*plan_, inputs_, found_.o_summed ? exact : found_.o);
    out_.output_allowed = check.allowed_error;
    out_.output_error = check.max_abs_error;
    out_.wrong_non_finite = check.wrong_non_finite;
    if (found_.o_summed) check_sums(exact, p);
    check_sizes(ref);
    if (found_.lse.size() != ref.lse.size()) return;
    out_.lse_compared = true;
    const std::vector<double> allowed = allowed_lse(p, inputs_, ref);
    for (std::size_t n = 0; n < ref.lse.size(); ++n) {
      const double apart = distance(ref.lse[n], double(found_.lse[n]));
      if (apart / allowed[n] <= out_.lse_ratio) continue;
      out_.lse_ratio = apart / allowed[n];
      if (out_.lse_ratio > 1 && lse_.empty())
        lse_ = fmt::format("L of row {} is {}, the reference has {}", n, found_.lse[n], ref.lse[n]);
    }
  }

  // Every row of O must be there, and of L where the algorithm stores it.
  void check_sizes(const Reference& ref) {
    const std::size_t rows = ref.lse.size(), lse = plan_->tensors.find("L") < 0 ? 0 : rows;
    const std::size_t o = found_.o_summed ? 3 * rows : ref.o.size();
    if (found_.o.size() != o) lse_ = fmt::format("O has {} numbers instead of {}", found_.o.size(), o);
    if (found_.lse.size() != lse) lse_ = fmt::format("L has {} rows instead of {}", found_.lse.size(), lse);
  }

  // Per row: a sum, a sum of sizes and one element, against the reference's.
  void check_sums(const std::vector<float>& exact, const Problem& p) {
    const auto d = static_cast<std::size_t>(p.d);
    out_.output_error = 0;
    for (std::size_t row = 0; row * d < exact.size(); ++row) {
      const auto sums = sum_of_row({exact.data() + row * d, d}, static_cast<std::int64_t>(row));
      for (std::size_t n = 0; n < 3; ++n) {
        const double found = row * 3 + n < found_.o.size() ? double(found_.o[row * 3 + n]) : infinity;
        const double share = n == 2 ? 1 : double(d);  // a sum may differ by as much as its elements together
        out_.output_error = std::max(out_.output_error, distance(sums[n], found) / share);
      }
    }
  }

  std::string value_text(const ValueDiff& v) const {
    return fmt::format("{}: {} at ({}, {}) is {}, the model has {} ({:.3g} times what is allowed)",
                       describe_place(*plan_, v.launch, v.cta, v.row, v.col), v.tile, v.element_row,
                       v.element_col, v.found, v.expected, v.times_allowed());
  }

  void find_difference() {
    std::vector<std::string> all;
    if (!found_.malformed.empty()) all.push_back(found_.malformed);
    if (const auto& f = out_.diff.flow) {
      all.push_back(fmt::format("{}: the model does '{}', the kernel '{}'",
                                describe_place(*plan_, f->launch, f->cta, f->row, f->col), f->expected,
                                f->found));
    }
    if (const auto& v = out_.diff.value) all.push_back(value_text(*v));
    if (!out_.diff.shape.empty()) all.push_back(out_.diff.shape);
    for (const TensorBytes& b : out_.bytes) {
      if (b.model != b.kernel)
        all.push_back(fmt::format("{} of {}: {} B by the model, {} B by the kernel",
                                  b.write ? "stores" : "loads", b.tensor, b.model, b.kernel));
    }
    if (!(out_.output_error <= out_.output_allowed) || out_.wrong_non_finite > 0) {
      all.push_back(
          fmt::format("O differs from the reference by {:.3g}, allowed {:.3g}; {} elements not finite in one "
                      "of the two only",
                      out_.output_error, out_.output_allowed, out_.wrong_non_finite));
    }
    if (!lse_.empty()) all.push_back(lse_);
    for (const std::string& text : all) out_.difference += (out_.difference.empty() ? "" : "; ") + text;
  }

  void write_json() {
    Json& j = out_.json;
    j = {{"kernel", out_.kernel}, {"fault", out_.fault.empty() ? Json() : Json(out_.fault)}};
    j["problem"] = problem_json(plan_->problem());
    j["tiling"] = tiling_json(plan_->config.tiling);
    j["agrees"] = out_.agrees();
    j["difference"] = out_.agrees() ? Json() : Json(out_.difference);
    const auto place = [](const auto& at) {
      return Json{{"kernel", int{at.launch}}, {"cta", at.cta}, {"row", at.row}, {"col", at.col}};
    };
    j["flow"] = out_.diff.flow ? place(*out_.diff.flow) : Json();
    j["value"] = Json();
    if (const auto& v = out_.diff.value) {
      j["value"] = place(*v);
      j["value"].update({{"quantity", v->tile},
                         {"element", {v->element_row, v->element_col}},
                         {"model", v->expected},
                         {"measured", v->found},
                         {"times_allowed", v->times_allowed()}});
    }
    j["bytes"] = Json::array();
    for (const TensorBytes& b : out_.bytes) {
      j["bytes"].push_back(
          {{"tensor", b.tensor}, {"write", b.write}, {"model", b.model}, {"measured", b.kernel}});
    }
    j["worst_of_allowed"] = Json::object();
    for (const auto& [name, ratio] : out_.diff.worst) j["worst_of_allowed"][name] = ratio;
    j["worst_of_allowed"]["L"] = found_.lse.empty() ? Json() : Json(out_.lse_ratio);
    j["max_abs_error"] = out_.output_error;
    j["allowed_error"] = out_.output_allowed;
  }

  std::shared_ptr<const Plan> plan_;
  const Inputs& inputs_;
  const KernelResult& found_;
  KernelCheck out_;
  std::string lse_;
};

std::string ratio_text(double ratio) { return ratio == 0 ? "0" : fmt::format("{:.2g}", ratio); }

// What a row of the table says of several checks.
struct Summary {
  int runs = 0, refused = 0, differ = 0;
  bool flow = true, bytes = true;
  std::map<std::string, double> worst;
  std::optional<double> into_sms;  // the largest error, signed

  void raise(const std::string& name, double ratio) {
    double& known = worst[name];
    if (!(ratio <= known)) known = ratio;
  }

  void add(const KernelCheck& c) {
    if (!c.refusal.empty()) {
      ++refused;
      return;
    }
    ++runs;
    differ += !c.agrees();
    flow = flow && !c.diff.flow && c.malformed.empty();
    for (const TensorBytes& b : c.bytes) bytes = bytes && b.model == b.kernel;
    for (const auto& [name, ratio] : c.diff.worst) raise(name == "s" ? "o" : name, ratio);
    raise("output", c.output_allowed > 0 ? c.output_error / c.output_allowed : c.output_error);
    if (c.lse_compared) raise("L", c.lse_ratio);
    if (c.into_sms && (!into_sms || std::abs(c.into_sms->error()) > std::abs(*into_sms)))
      into_sms = c.into_sms->error();
  }

  std::string verdict() const {
    if (runs == 0) return "refused";
    if (differ > 0) return runs == 1 ? "DIFFERS" : fmt::format("{} DIFFER", differ);
    return refused == 0 ? "agrees" : fmt::format("agrees, {} refused", refused);
  }

  std::string ratio(const char* name) const {
    const auto found = worst.find(name);
    return runs == 0 ? "" : found == worst.end() ? "-" : ratio_text(found->second);
  }
};

bool share_a_row(const KernelCheck& a, const KernelCheck& b) {
  return a.kernel == b.kernel && a.fault == b.fault && !a.group.empty() && a.group == b.group;
}

}  // namespace

KernelCheck check_kernel(std::shared_ptr<const Plan> plan, const Inputs& inputs, const KernelResult& result) {
  return Check(std::move(plan), inputs, result).run();
}

void add_counters(KernelCheck& check, const SmBytes& bytes) {
  constexpr double allowed = 0.01;
  check.into_sms = bytes;
  check.json["into_sms"] = {{"model", bytes.model}, {"measured", bytes.measured}};
  if (std::abs(bytes.error()) <= allowed) return;
  check.difference +=
      fmt::format("{}{:.0f} B into the SMs by the counter, {} B by the model ({:+.1f} %)",
                  check.difference.empty() ? "" : "; ", bytes.measured, bytes.model, 100 * bytes.error());
  check.json["agrees"] = false;
  check.json["difference"] = check.difference;
}

Table check_table(const std::vector<KernelCheck>& checks) {
  Table table({{"kernel"},
               {"problem"},
               {"runs", Align::right},
               {"order"},
               {"bytes"},
               {"m", Align::right},
               {"l", Align::right},
               {"O, S", Align::right},
               {"output", Align::right},
               {"L", Align::right},
               {"into SMs", Align::right},
               {""}});
  for (std::size_t n = 0; n < checks.size();) {
    const KernelCheck& first = checks[n];
    Summary sum;
    for (; n < checks.size() && (&checks[n] == &first || share_a_row(checks[n], first)); ++n)
      sum.add(checks[n]);
    const bool alone = sum.runs + sum.refused == 1;
    table.add_row({first.kernel + (first.fault.empty() ? "" : " (" + first.fault + ")"),
                   (first.source.empty() ? "" : first.source + ": ") + (alone ? first.problem : first.group),
                   fmt::to_string(sum.runs),
                   sum.runs == 0 ? ""
                   : sum.flow    ? "equal"
                                 : "differs",
                   sum.runs == 0 ? ""
                   : sum.bytes   ? "equal"
                                 : "differ",
                   sum.ratio("m"), sum.ratio("l"), sum.ratio("o"), sum.ratio("output"), sum.ratio("L"),
                   sum.into_sms ? fmt::format("{:+.2f} %", 100 * *sum.into_sms) : "", sum.verdict()},
                  sum.differ == 0 ? Style::plain : Style::bold);
  }
  return table;
}

}  // namespace tilewalk
