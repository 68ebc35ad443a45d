// The conversion of a kernel's records, without a GPU: records made up from a simulated run must give that
// run back, and records that fit no tile must be named.
#include <doctest/doctest.h>

#include "gpu/convert.h"
#include "sim/compare.h"
#include "tests/plans.h"

namespace tilewalk {
namespace {

using gpu::DeviceResult;
using gpu::LaunchTrace;
using gpu::MoveRecord;

// What a kernel that does the plan's loads and stores would leave behind, its tensors far apart in memory.
DeviceResult result_of(const Plan& plan, const Trace& trace) {
  DeviceResult result;
  std::vector<std::uint64_t> first;
  for (const Tensor& tensor : plan.tensors) {
    first.push_back(std::uint64_t{1 << 20} * 64 * (first.size() + 1));
    result.tensors.push_back({tensor.name.data(), first.back(), first.back() + tensor.bytes(plan.problem())});
  }
  for (const Kernel& kernel : plan.kernels) {
    LaunchTrace launch;
    launch.most_moves = 1000;
    const auto ctas = static_cast<std::size_t>(kernel.ctas);
    launch.moves.resize(ctas * launch.most_moves);
    launch.move_count.resize(ctas);
    launch.tile_count.resize(ctas);
    result.launches.push_back(launch);
  }
  for (const Event& e : trace.events) {
    if (e.op != Op::load && e.op != Op::store) continue;
    const Kernel& kernel = plan.kernels[e.launch];
    const Tensor& tensor = plan.tensors[e.tensor];
    const std::int64_t instance = e.cta / kernel.blocks;
    const std::int64_t matrix = tensor.rows == Axis::kv ? plan.problem().kv_instance(instance) : instance;
    const auto start = [&](Axis axis) { return kernel.start(axis, axis == Axis::q ? e.row : e.col); };
    const std::int64_t element =
        (matrix * tensor.n_rows + start(tensor.rows)) * tensor.n_cols + start(tensor.cols);
    LaunchTrace& launch = result.launches[e.launch];
    const auto cta = static_cast<std::size_t>(e.cta);
    MoveRecord& record = launch.moves[cta * launch.most_moves + launch.move_count[cta]++];
    const auto size = size_of(tensor.type);
    record.lowest = first[e.tensor] + static_cast<std::uint64_t>(element) * size;
    record.end = record.lowest + static_cast<std::uint64_t>((e.rows - 1) * tensor.n_cols + e.cols) * size;
    record.bytes = static_cast<std::uint32_t>(static_cast<std::uint64_t>(e.rows * e.cols) * size);
    record.is_store = e.op == Op::store;
  }
  return result;
}

struct Sample {
  std::shared_ptr<const Plan> plan;
  Inputs inputs;
  Trace trace;
};

Sample sample(const std::string& algorithm) {
  Problem p = problem_of({37, 53, 24}, DType::f16, "causal");
  p.batch = 2;
  p.heads = 4;
  p.kv_heads = 2;
  auto plan = plan_of(algorithm, p, 16, 8);
  Inputs inputs = random_inputs(p, 1);
  Trace trace = record(plan, &inputs);
  return {plan, std::move(inputs), std::move(trace)};
}

TEST_CASE("records of a run give the run's loads and stores back") {
  for (const char* algorithm : {"standard", "flash1", "flash2"}) {
    CAPTURE(algorithm);
    const Sample s = sample(algorithm);
    gpu::Converted converted = to_trace(*s.plan, result_of(*s.plan, s.trace));
    CHECK(converted.malformed == "");
    converted.trace.records = s.trace.records;
    const TraceDiff diff = compare(*s.plan, s.inputs, s.trace, converted.trace, Flow::moves);
    CHECK(diff.agrees());
    std::size_t moves = 0;
    for (const Event& e : s.trace.events) moves += e.op == Op::load || e.op == Op::store;
    CHECK(converted.trace.events.size() == moves);
    // Places are complete: those that a tensor does not say come from the kernel's grid.
    std::size_t n = 0;
    for (const Event& e : s.trace.events) {
      if (e.op != Op::load && e.op != Op::store) continue;
      const Event& found = converted.trace.events[n++];
      CHECK(found.row == e.row);
      CHECK(found.col == e.col);
      CHECK(found.from == e.from);
      CHECK(found.to == e.to);
    }
  }
}

// The flash2 sample with record n of CTA 9 changed.
template <class Change>
gpu::Converted changed(std::size_t n, Change change) {
  const Sample s = sample("flash2");
  DeviceResult result = result_of(*s.plan, s.trace);
  change(result.launches[0].moves[9 * 1000 + n]);
  return to_trace(*s.plan, result);
}

TEST_CASE("records that fit no tile are named") {
  const auto named = [](const gpu::Converted& converted, const char* words) {
    INFO(converted.malformed);
    CHECK(converted.malformed.find("CTA 9") != std::string::npos);
    CHECK(converted.malformed.find(words) != std::string::npos);
  };
  named(changed(1, [](MoveRecord& r) { r.bytes += 2; }), "no rectangle");
  named(changed(1, [](MoveRecord& r) { r.bytes *= 2; }), "moved twice");
  named(changed(1, [](MoveRecord& r) { r.lowest += 24 * 2, r.end += 24 * 2; }), "begins no tile");
  named(changed(1, [](MoveRecord& r) { r.lowest += 53 * 24 * 2, r.end += 53 * 24 * 2; }), "is due");
  named(changed(1, [](MoveRecord& r) { r.lowest = 4, r.end = 8; }), "no tensor");
}

TEST_CASE("a tile that nothing was kept after is a difference") {
  const Sample s = sample("flash2");
  gpu::Converted converted = to_trace(*s.plan, result_of(*s.plan, s.trace));
  converted.trace.records = s.trace.records;
  const TileRecord gone = converted.trace.records[3];
  converted.trace.records.erase(converted.trace.records.begin() + 3);
  const TraceDiff diff = compare(*s.plan, s.inputs, s.trace, converted.trace, Flow::moves);
  REQUIRE(diff.value);
  CHECK(diff.value->is_in(gone));
}

}  // namespace
}  // namespace tilewalk
