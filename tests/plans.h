// Short ways to say a run, for tests.
#pragma once

#include <cmath>
#include <memory>
#include <ostream>
#include <string>

#include "sim/fault.h"
#include "sim/inputs.h"
#include "sim/plan.h"

namespace tilewalk {

struct Shape {
  std::int64_t n_q, n_kv, d;
};

inline std::ostream& operator<<(std::ostream& out, const Shape& s) {
  return out << "(" << s.n_q << "," << s.n_kv << "," << s.d << ")";
}

inline Problem problem_of(Shape shape, DType dtype = DType::f32, const std::string& mask = "none") {
  Problem p;
  p.n_q = shape.n_q;
  p.n_kv = shape.n_kv;
  p.d = shape.d;
  p.dtype = dtype;
  p.mask = parse_mask(mask);
  p.scale = default_scale(shape.d);
  return p;
}

inline std::shared_ptr<const Plan> plan_of(const std::string& algorithm, const Problem& problem,
                                           std::int64_t block_q, std::int64_t block_kv,
                                           const std::string& fault = "", Order order = Order::ascending) {
  // Capacities are a subject of their own; elsewhere any tiling may be tried.
  Arch arch = arch_named("a100");
  for (Level& level : arch.levels) level.capacity = 0;
  return make_plan({&algorithm_named(algorithm),
                    problem,
                    {block_q, block_kv, order},
                    arch,
                    fault.empty() ? nullptr : &fault_named(fault)});
}

}  // namespace tilewalk
