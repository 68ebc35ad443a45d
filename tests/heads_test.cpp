// The real attention heads that ship: what they are, and every algorithm on them.
#include <doctest/doctest.h>

#include "lessons/heads.h"
#include "sim/compare.h"
#include "sim/run.h"
#include "tests/plans.h"

using namespace tilewalk;

namespace {

Problem problem_of(const Head& head) {
  Problem p = problem_of({head.n, head.n, head.d}, DType::f16, std::string(head.mask));
  p.scale = head.scale;
  return p;
}

// Mean softmax weight that queries give to the key `back` places before them.
double weight_back(const Problem& p, const Inputs& in, std::int64_t back) {
  double sum = 0;
  for (std::int64_t i = back; i < p.n_q; ++i) {
    double m = -INFINITY, l = 0, at = 0;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t j = 0; j <= i; ++j) {
        double s = 0;
        for (std::int64_t c = 0; c < p.d; ++c)
          s += double(in.q[std::size_t(i * p.d + c)]) * in.k[std::size_t(j * p.d + c)];
        s *= p.scale;
        if (pass == 0) m = std::max(m, s);
        if (pass == 1) l += std::exp(s - m);
        if (j == i - back) at = s;
      }
    }
    sum += std::exp(at - m) / l;
  }
  return sum / double(p.n_q - back);
}

}  // namespace

TEST_CASE("every algorithm agrees with float64 on every head, with tiles that fit an A100") {
  for (const Head& head : heads()) {
    const Problem p = problem_of(head);
    const Inputs inputs = checked_inputs(p, load_head(head));
    for (const Algorithm* algorithm : algorithms()) {
      const Arch& arch = arch_named("a100");
      const Tiling tiling = choose_tiling({}, *algorithm, p, arch);
      const Run run = execute(make_plan({algorithm, p, tiling, arch, nullptr}), inputs);
      INFO(std::string(head.name), " ", std::string(algorithm->name));
      CHECK(run.check->agrees());
    }
  }
}

TEST_CASE("fused attention gives the same output for less traffic and memory") {
  for (const Head& head : heads()) {
    const Problem p = problem_of(head);
    const Inputs inputs = checked_inputs(p, load_head(head));
    const Run unfused = execute(plan_of("standard", p, 64, 64), inputs),
              fused = execute(plan_of("flash2", p, 64, 64), inputs);
    CHECK(2 * fused.bytes("hbm") < unfused.bytes("hbm"));
    CHECK(fused.hbm_footprint() < unfused.hbm_footprint());
    double apart = 0;
    for (std::size_t n = 0; n < fused.o.size(); ++n)
      apart = std::max(apart, std::abs(double(fused.o[n]) - unfused.o[n]));
    CHECK(apart <= fused.check->allowed_error + unfused.check->allowed_error);
  }
}

TEST_CASE("the heads are what they are said to be") {
  const auto weight = [](const char* name, std::int64_t back) {
    const Head& head = head_named(name);
    return weight_back(problem_of(head), load_head(head), back);
  };
  CHECK(weight("induction", 255) > 0.1);  // the earlier copy of the same text
  CHECK(weight("induction", 255) > weight("induction", 254));
  CHECK(weight("previous_byte", 1) > 0.25);
  CHECK(weight("previous_byte", 1) > weight("previous_byte", 2));
  CHECK(weight("broad", 1) < 0.1);
}
