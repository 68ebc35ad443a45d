#include "sim/tensor_bytes.h"

#include "sim/run.h"

namespace tilewalk {
namespace {

std::uint64_t moved_bytes(const Trace& trace, const Plan& plan, std::size_t tensor, bool write) {
  std::uint64_t bytes = 0;
  for (const Event& e : trace.events) {
    if (e.tensor == tensor && e.op == (write ? Op::store : Op::load))
      bytes += std::uint64_t(e.rows) * std::uint64_t(e.cols) * size_of(plan.tensors[tensor].type);
  }
  return bytes;
}

}  // namespace

std::vector<TensorBytes> compare_bytes(const std::shared_ptr<const Plan>& plan, const Trace& trace) {
  std::vector<TensorBytes> result;
  const Run run = count(plan);
  const auto hbm = static_cast<std::size_t>(plan->config.arch.level("hbm"));
  for (std::size_t t = 0; t < plan->tensors.size(); ++t) {
    for (const bool write : {false, true}) {
      const std::uint64_t model = run.total.bytes[hbm][write][t],
                          kernel = moved_bytes(trace, *plan, t, write);
      if (model + kernel > 0) result.push_back({std::string(plan->tensors[t].name), write, model, kernel});
    }
  }
  return result;
}

}  // namespace tilewalk
