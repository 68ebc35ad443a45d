// Every algorithm against attention by its definition in float64, over algorithm x mask x dtype x shape.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "sim/emitter.h"
#include "sim/machine.h"
#include "sim/run.h"
#include "tests/plans.h"

using namespace tilewalk;

namespace {

constexpr DType dtypes[] = {DType::f32, DType::f16, DType::bf16};

// The worst of error / allowed that each algorithm came to; printed when the program ends.
struct Worst {
  struct Record {
    double ratio = 0;
    std::string where;
  };
  std::map<std::string, Record> records;
  ~Worst() {
    for (const auto& [algorithm, record] : records) {
      std::printf("%-20s worst error / allowed %.3f at %s\n", algorithm.c_str(), record.ratio,
                  record.where.c_str());
    }
  }
} worst;

Run check_run(const std::string& algorithm, const Problem& p, const Inputs& inputs, std::int64_t block_q,
              std::int64_t block_kv, Order order = Order::ascending) {
  const auto plan = plan_of(algorithm, p, block_q, block_kv, "", order);
  const Run run = execute(plan, inputs);
  INFO(algorithm, " ", Shape{p.n_q, p.n_kv, p.d}, " ", std::string(name_of(p.dtype)), " ", p.mask.spec(),
       " blocks ", block_q, "x", block_kv);
  CHECK(run.check->wrong_non_finite == 0);
  CHECK(run.check->max_abs_error <= run.check->allowed_error);
  CHECK(count(plan).total == run.total);  // counting alone is the same machine
  const double ratio =
      run.check->max_abs_error == 0 ? 0 : run.check->max_abs_error / run.check->allowed_error;
  if (ratio > worst.records[algorithm].ratio) {
    worst.records[algorithm] = {ratio, std::to_string(p.n_q) + "," + std::to_string(p.n_kv) + "," +
                                           std::to_string(p.d) + " " + std::string(name_of(p.dtype)) + " " +
                                           p.mask.spec()};
  }
  return run;
}

const std::string masks[] = {"none", "causal", "window:9", "causal+window:33"};

Mask blocks_mask(const Problem& p, std::int64_t rows, std::int64_t cols) {
  std::string text = std::to_string(rows) + " " + std::to_string(cols) + "\n";
  for (std::int64_t r = 0; r * rows < p.n_q; ++r) {
    for (std::int64_t c = 0; c * cols < p.n_kv; ++c) text += (r * 7 + c * 3) % 5 < 2 && r != 1 ? '1' : '0';
    text += '\n';
  }
  return Mask::blocks("blocks:test", std::make_shared<BlockMap>(parse_block_map(text, "test")));
}

}  // namespace

TEST_CASE("every algorithm, mask, dtype and shape agrees with float64") {
  const Shape shapes[] = {{1, 1, 64},    {239, 1, 40},   {113, 203, 59}, {40, 64, 1}, {3, 113, 128},
                          {64, 48, 111}, {130, 130, 16}, {0, 5, 8},      {5, 0, 8},   {17, 33, 5}};
  for (const Shape& shape : shapes) {
    for (const DType dtype : dtypes) {
      for (const std::string& mask : masks) {
        const Problem p = problem_of(shape, dtype, mask);
        const Inputs inputs = random_inputs(p, 7);
        for (const auto name : algorithm_names()) {
          check_run(std::string(name), p, inputs, 32, 16);
          check_run(std::string(name), p, inputs, 48, 40);
        }
      }
    }
  }
}

TEST_CASE("the long shapes of the table") {
  for (const Shape& shape :
       {Shape{799, 3, 64}, Shape{1023, 1024, 40}, Shape{1024, 1023, 59}, Shape{3, 513, 64}}) {
    for (const std::string mask : {"none", "causal"}) {
      const Problem p = problem_of(shape, mask == "none" ? DType::f16 : DType::f32, mask);
      const Inputs inputs = random_inputs(p, 11);
      for (const auto name : algorithm_names()) check_run(std::string(name), p, inputs, 128, 64);
    }
  }
}

TEST_CASE("block masks, and rows that see nothing") {
  for (const DType dtype : dtypes) {
    Problem p = problem_of({70, 90, 24}, dtype);
    p.mask = blocks_mask(p, 16, 20);  // its second block row is empty
    const Inputs inputs = random_inputs(p, 5);
    for (const auto name : algorithm_names()) {
      for (const std::int64_t block : {8, 32, 128}) {
        const Run run = check_run(std::string(name), p, inputs, block, block);
        for (std::int64_t n = 16 * p.d; n < 32 * p.d; ++n) CHECK(run.o[std::size_t(n)] == 0);
      }
    }
  }
}

TEST_CASE("blocks of a single element are online softmax by the element") {
  for (const DType dtype : dtypes) {
    const Problem p = problem_of({9, 13, 6}, dtype, "causal");
    const Inputs inputs = random_inputs(p, 2);
    for (const auto name : algorithm_names()) {
      check_run(std::string(name), p, inputs, 1, 1);
      check_run(std::string(name), p, inputs, 1, 64);
      check_run(std::string(name), p, inputs, 64, 1);
    }
  }
}

TEST_CASE("key blocks may be walked backwards") {
  const Problem p = problem_of({60, 75, 16}, DType::f16, "causal");
  const Inputs inputs = random_inputs(p, 4);
  for (const auto name : algorithm_names())
    check_run(std::string(name), p, inputs, 16, 16, Order::descending);
}

TEST_CASE("batches, heads and grouped key/value heads") {
  for (const std::int64_t kv_heads : {6, 2, 1}) {
    Problem p = problem_of({33, 47, 16}, DType::f16, "causal");
    p.batch = 2;
    p.heads = 6;
    p.kv_heads = kv_heads;
    const Inputs inputs = random_inputs(p, 9);
    for (const auto name : algorithm_names()) check_run(std::string(name), p, inputs, 16, 16);
  }
}

TEST_CASE("hard scores: huge, repeated and very negative") {
  const Problem p = problem_of({40, 56, 16}, DType::f32);
  Inputs inputs = random_inputs(p, 3);
  SUBCASE("logits of 1e4") {
    for (float& x : inputs.q) x *= 1e4f;
  }
  SUBCASE("every score is the same") {
    for (float& x : inputs.q) x = 1;
    for (float& x : inputs.k) x = 2;
  }
  SUBCASE("maxima repeat in every key block") {
    for (std::size_t n = 0; n < inputs.k.size(); ++n) inputs.k[n] = inputs.k[n % (8 * 16)];
  }
  SUBCASE("rows of very negative scores") {
    for (float& x : inputs.q) x = 300 + std::abs(x);
    for (float& x : inputs.k) x = -300 - std::abs(x);
  }
  for (const auto name : algorithm_names()) {
    check_run(std::string(name), p, inputs, 8, 8);
    check_run(std::string(name), p, inputs, 64, 16);
  }
}

TEST_CASE("a NaN reaches exactly the rows that see it") {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, inf, -inf}) {
    for (const std::string mask : {"none", "causal", "window:5"}) {
      const Problem p = problem_of({24, 30, 8}, DType::f32, mask);
      for (const int tensor : {0, 1, 2}) {
        Inputs inputs = random_inputs(p, 6);
        const std::int64_t row = 13;
        (tensor == 0 ? inputs.q : tensor == 1 ? inputs.k : inputs.v)[std::size_t(row * p.d + 3)] = bad;
        for (const auto name : algorithm_names()) {
          INFO(std::string(name), " ", mask, " tensor ", tensor);
          const Run run =
              check_run(std::string(name), p, inputs, 8, 8);  // infinities: as the definition has it
          if (!std::isnan(bad)) continue;
          for (std::int64_t i = 0; i < p.n_q; ++i) {
            const bool reached = tensor == 0 ? i == row : p.visible(i, row);
            const float* o = run.o.data() + i * p.d;
            const bool is_nan = std::any_of(o, o + p.d, [](float x) { return std::isnan(x); });
            CHECK(is_nan == reached);
          }
        }
      }
    }
  }
}

TEST_CASE("L is the log-sum-exp of each row") {
  const Problem p = problem_of({50, 37, 16}, DType::f16, "causal");  // the first rows see nothing
  const Inputs inputs = random_inputs(p, 8);
  const auto plan = plan_of("flash2", p, 16, 16);
  const Reference expected = reference(p, inputs, true);
  Machine machine(plan, &inputs);
  auto take = [&](const Event& e) { machine.execute(e); };
  for (std::int64_t cta = 0; cta < plan->kernels[0].ctas; ++cta) run_cta(*plan, 0, cta, Sink(take));
  const HbmTensor& lse = machine.state().hbm[std::size_t(plan->tensors.find("L"))];
  for (std::int64_t i = 0; i < p.n_q; ++i) {
    const double want = expected.lse[std::size_t(i)];
    if (std::isinf(want)) {
      CHECK(lse.at(0, i, 0) == want);
    } else {
      CHECK(lse.at(0, i, 0) == doctest::Approx(want).epsilon(1e-5));
    }
  }
}

TEST_CASE("the check itself can fail") {
  const Problem p = problem_of({40, 40, 16}, DType::f16);
  const Inputs inputs = random_inputs(p, 1);
  for (const std::string fault : {"no_rescale", "per_tile_softmax", "stale_max", "stale_tile"}) {
    const Run run = execute(plan_of("flash2", p, 8, 8, fault), inputs);
    CHECK_MESSAGE(run.check->max_abs_error > 4 * run.check->allowed_error, fault);
  }
}
