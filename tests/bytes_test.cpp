// Counts against closed forms written here from the papers, independently of sim's own `theory`.
#include <doctest/doctest.h>

#include <cstdio>

#include "sim/emitter.h"
#include "sim/run.h"
#include "tests/plans.h"

using namespace tilewalk;

namespace {

using u64 = std::uint64_t;

u64 blocks(std::int64_t n, std::int64_t block) { return u64((n + block - 1) / block); }

// Elements of one instance, and block counts.
struct Sizes {
  u64 q, kv, s, rows, tr, tc, e;  // e: bytes of the problem's dtype
  Sizes(const Problem& p, std::int64_t bq, std::int64_t bkv)
      : q(u64(p.n_q * p.d)),
        kv(u64(p.n_kv * p.d)),
        s(u64(p.n_q * p.n_kv)),
        rows(u64(p.n_q)),
        tr(blocks(p.n_q, bq)),
        tc(blocks(p.n_kv, bkv)),
        e(size_of(p.dtype)) {}
};

u64 hbm(const Run& run, const std::string& tensor, bool write) {
  return run.total.bytes[std::size_t(run.plan->config.arch.level("hbm"))][write]
                        [std::size_t(run.plan->tensors.find(tensor))];
}

struct Expected {
  std::string tensor;
  u64 read, write;
};

std::vector<Expected> closed_form(const std::string& algorithm, const Sizes& z) {
  if (algorithm == "standard") {
    return {{"Q", z.q * z.e, 0},         {"K", z.tr * z.kv * z.e, 0}, {"V", z.tr * z.kv * z.e, 0},
            {"S", z.s * z.e, z.s * z.e}, {"P", z.s * z.e, z.s * z.e}, {"O", 0, z.q * z.e}};
  }
  if (algorithm == "standard_nosoftmax") {
    return {{"Q", z.q * z.e, 0},
            {"K", z.tr * z.kv * z.e, 0},
            {"V", z.tr * z.kv * z.e, 0},
            {"S", z.s * z.e, z.s * z.e},
            {"O", 0, z.q * z.e}};
  }
  if (algorithm == "flash1") {
    return {{"Q", z.tc * z.q * z.e, 0},
            {"K", z.kv * z.e, 0},
            {"V", z.kv * z.e, 0},
            {"O", z.tc * z.q * 4, (z.tc + 1) * z.q * 4},
            {"l", z.tc * z.rows * 4, (z.tc + 1) * z.rows * 4},
            {"m", z.tc * z.rows * 4, (z.tc + 1) * z.rows * 4}};
  }
  if (algorithm == "flash2") {
    return {{"Q", z.q * z.e, 0},
            {"K", z.tr * z.kv * z.e, 0},
            {"V", z.tr * z.kv * z.e, 0},
            {"O", 0, z.q * z.e},
            {"L", 0, z.rows * 4}};
  }
  return {{"Q", z.tc * z.q * z.e, 0},
          {"K", z.kv * z.e, 0},
          {"V", z.kv * z.e, 0},  // flash1_fig2, fused_nosoftmax
          {"O", (z.tc - 1) * z.q * z.e, z.tc * z.q * z.e}};
}

Run count_of(const std::string& algorithm, const Problem& p, std::int64_t bq, std::int64_t bkv) {
  return count(plan_of(algorithm, p, bq, bkv));
}

Problem paper_shape() {
  Problem p = problem_of({1024, 1024, 64}, DType::f16);
  p.batch = 64;
  p.heads = p.kv_heads = 16;
  return p;
}

constexpr u64 U = 64ull * 16 * 1024 * 64 * 2, W = 64ull * 16 * 1024 * 1024 * 2;

}  // namespace

TEST_CASE("HBM bytes of every tensor equal the closed forms, ragged shapes included") {
  for (const Shape shape : {Shape{64, 64, 16}, Shape{113, 203, 59}, Shape{1, 1, 1}, Shape{239, 1, 40},
                            Shape{3, 513, 64}, Shape{1023, 1024, 8}}) {
    for (const DType dtype : {DType::f32, DType::f16}) {
      for (const auto& [bq, bkv] : {std::pair{16, 16}, {64, 32}, {7, 100}, {1, 8}}) {
        Problem p = problem_of(shape, dtype);
        p.batch = 3;
        p.heads = 4;
        p.kv_heads = 2;
        for (const auto name : algorithm_names()) {
          const Run run = count_of(std::string(name), p, bq, bkv);
          INFO(std::string(name), " ", shape, " blocks ", bq, "x", bkv);
          u64 total = 0;
          for (const Expected& x : closed_form(std::string(name), Sizes(p, bq, bkv))) {
            INFO(x.tensor);
            CHECK(hbm(run, x.tensor, false) == 12 * x.read);
            CHECK(hbm(run, x.tensor, true) == 12 * x.write);
            total += 12 * (x.read + x.write);
          }
          CHECK(run.bytes("hbm") == total);
          const Theory theory = run.plan->algorithm().theory(p, run.plan->config.tiling);
          REQUIRE(theory.known);
          const bool reads_once =
              name == "standard" || name == "standard_nosoftmax";  // theory, not this tiling
          if (!reads_once) CHECK(theory.hbm_bytes == double(total));
        }
      }
    }
  }
}

TEST_CASE("the paper's Fig. 2 middle: flash1_fig2 moves (3Tc+1)U") {
  const double published[] = {6.5767, 3.3554, 1.7448, 0.9395};
  for (int n = 0; n < 4; ++n) {
    const std::int64_t block_kv = 64 << n;
    const Run run = count_of("flash1_fig2", paper_shape(), 64, block_kv);
    CHECK(run.bytes("hbm") == (3 * u64(1024 / block_kv) + 1) * U);
    CHECK(double(run.bytes("hbm")) / 1e9 == doctest::Approx(published[n]).epsilon(1e-4));
    CHECK(hbm(run, "m", true) == 0);  // moves, uncounted
  }
}

TEST_CASE("flash2 moves (2+2Tr)U and four bytes a row") {
  for (const std::int64_t block_q : {64, 128}) {
    const Run run = count_of("flash2", paper_shape(), block_q, 64);
    CHECK(run.bytes("hbm") - hbm(run, "L", true) == (2 + 2 * u64(1024 / block_q)) * U);
    CHECK(hbm(run, "L", true) == 64 * 16 * 1024 * 4);
  }
  CHECK(double((2 + 2 * 16) * U) / 1e9 == doctest::Approx(4.5634).epsilon(1e-4));
  CHECK(double((2 + 2 * 8) * U) / 1e9 == doctest::Approx(2.4159).epsilon(1e-4));
}

TEST_CASE("standard: S and P are exactly 4W, whatever SRAM and tiling") {
  for (const std::int64_t block : {32, 64, 128}) {
    const Run run = count_of("standard", paper_shape(), block, block);
    const u64 scores =
        hbm(run, "S", false) + hbm(run, "S", true) + hbm(run, "P", false) + hbm(run, "P", true);
    CHECK(scores == 4 * W);
    CHECK(double(scores) / 1e9 == doctest::Approx(8.5899).epsilon(1e-4));
    const Theory theory = run.plan->algorithm().theory(paper_shape(), run.plan->config.tiling);
    CHECK(theory.hbm_bytes == double(4 * W + 4 * U));
    CHECK(theory.hbm_bytes / 1e9 == doctest::Approx(9.1268).epsilon(1e-4));
  }
  const Problem p = problem_of({1024, 1024, 64}, DType::f16);
  for (const u64 sram : {32768, 65536, 166912, 1 << 20}) {
    Arch arch = arch_named("a100");
    arch.levels[std::size_t(arch.level("sram"))].capacity = sram;
    const Tiling tiling = choose_tiling({}, algorithm_named("standard"), p, arch);
    const Run run = count(make_plan({&algorithm_named("standard"), p, tiling, arch, nullptr}));
    CHECK(hbm(run, "S", false) + hbm(run, "S", true) + hbm(run, "P", false) + hbm(run, "P", true) ==
          4 * 1024 * 1024 * 2);
  }
}

TEST_CASE("a softmax whose rows do not fit reads S twice") {
  const Problem p = problem_of({64, 4096, 16}, DType::f32);
  Arch arch = arch_named("a100");
  arch.levels[std::size_t(arch.level("sram"))].capacity = 16000;  // a row is 16384 B
  const auto plan = make_plan({&algorithm_named("standard"), p, {16, 16}, arch, nullptr});
  const Inputs inputs = random_inputs(p, 1);
  const Run run = execute(plan, inputs);
  CHECK(run.check->agrees());
  CHECK(hbm(run, "S", false) == 2 * 64 * 4096 * 4);
  CHECK(hbm(run, "S", true) == 64 * 4096 * 4);
}

TEST_CASE("doubling block_kv halves flash1's traffic to first order") {
  const Problem p = problem_of({4096, 4096, 64}, DType::f16);
  for (const std::int64_t block : {32, 64, 128}) {
    const double ratio = double(count_of("flash1", p, 64, block).bytes("hbm")) /
                         double(count_of("flash1", p, 64, 2 * block).bytes("hbm"));
    CHECK(ratio == doctest::Approx(2).epsilon(0.03));
  }
}

TEST_CASE("causal flash2 visits exactly the tiles that hold a visible score") {
  for (const Shape shape : {Shape{128, 128, 8}, Shape{100, 300, 8}, Shape{300, 100, 8}, Shape{239, 1, 8}}) {
    for (const std::string mask : {"causal", "window:20", "causal+window:50"}) {
      for (const auto& [bq, bkv] : {std::pair{16, 16}, {32, 8}, {7, 13}}) {
        const Problem p = problem_of(shape, DType::f16, mask);
        u64 tiles = 0, columns = 0;
        for (std::int64_t i = 0; i * bq < p.n_q; ++i) {
          for (std::int64_t j = 0; j * bkv < p.n_kv; ++j) {
            bool any = false;
            for (std::int64_t r = i * bq; r < std::min<std::int64_t>(p.n_q, (i + 1) * bq); ++r) {
              for (std::int64_t c = j * bkv; c < std::min<std::int64_t>(p.n_kv, (j + 1) * bkv); ++c)
                any |= p.visible(r, c);
            }
            tiles += any;
            columns += any ? u64(std::min<std::int64_t>(bkv, p.n_kv - j * bkv)) : 0;
          }
        }
        const auto plan = plan_of("flash2", p, bq, bkv);
        u64 visited = 0;
        auto take = [&](const Event& e) { visited += e.op == Op::online_softmax; };
        for (std::int64_t cta = 0; cta < plan->kernels[0].ctas; ++cta) run_cta(*plan, 0, cta, Sink(take));
        CHECK(visited == tiles);
        CHECK(hbm(count(plan), "K", false) == columns * u64(p.d) * 2);
      }
    }
  }
}

TEST_CASE(
    "loop order: at equal blocks Q-outer moves less than the literal K/V-outer, and both beat a row at a "
    "time") {
  for (const std::int64_t n : {512, 1024, 4096}) {
    for (const std::int64_t block : {32, 64, 128}) {
      const Problem p = problem_of({n, n, 64}, DType::f16);
      const u64 q_outer = count_of("flash2", p, block, block).bytes("hbm");
      const u64 kv_outer = count_of("flash1", p, block, block).bytes("hbm");
      CHECK(q_outer < kv_outer);
      const u64 row_at_a_time = 2 * u64(n * n) * 64 * 2;  // every query row reads all of K and V
      CHECK(kv_outer < row_at_a_time);
    }
  }
}

TEST_CASE("memory footprint: 2W+4U against 4U and four bytes a row") {
  CHECK(count_of("standard", paper_shape(), 64, 64).hbm_footprint() == 2 * W + 4 * U);
  CHECK(count_of("flash2", paper_shape(), 64, 64).hbm_footprint() == 4 * U + 64 * 16 * 1024 * 4);
}

TEST_CASE("the paper's Table 21 beside its closed forms") {
  // MiB, forward and backward, B=16 H=8 d=64: standard 4W+10U; FlashAttention 13U (11U up to 256) + 2 B H
  // N 4.
  const double standard[] = {36, 104, 336, 1184, 4416, 17024};
  const double flash[] = {22, 44, 104, 209, 418, 836, 1672, 3344, 6688, 13376};
  const auto mib = [](double bytes) { return bytes / double(1 << 20); };
  for (int n = 0; n < 10; ++n) {
    const double N = 128 << n, u = 16 * 8 * N * 64 * 2, w = 16 * 8 * N * N * 2, rows = 16 * 8 * N * 4;
    if (n < 6) CHECK(mib(4 * w + 10 * u) == doctest::Approx(standard[n]).epsilon(0.02));
    CHECK(mib((N <= 256 ? 11 : 13) * u + 2 * rows) == doctest::Approx(flash[n]).epsilon(0.01));
    std::printf("Table 21, N=%5.0f: closed form %8.1f / %7.1f MiB\n", N, mib(4 * w + 10 * u),
                mib((N <= 256 ? 11 : 13) * u + 2 * rows));
  }
}

TEST_CASE("FLOPs: executed matmuls, the useful convention, exponentials") {
  const Problem p = problem_of({96, 80, 16}, DType::f16);
  for (const auto name : algorithm_names()) {
    const Run run = count_of(std::string(name), p, 32, 16);
    CHECK(run.total.flops.matmul == 4 * 96 * 80 * 16);
    CHECK(run.useful_flops() == 4 * 96 * 80 * 16);
  }
  CHECK(count_of("standard", p, 32, 16).total.flops.exp == 96 * 80);
  CHECK(count_of("flash2", p, 32, 16).total.flops.exp == 96 * 80 + 96 * 5);  // and alpha, a row and key block
  CHECK(count_of("flash1", p, 32, 16).total.flops.exp == 96 * 80 + 2 * 96 * 5);  // and alpha and beta
  CHECK(count_of("standard_nosoftmax", p, 32, 16).total.flops.exp == 0);
  const Problem causal = problem_of({96, 96, 16}, DType::f16, "causal");
  CHECK(count_of("flash2", causal, 32, 32).useful_flops() == 2 * 96 * 96 * 16);
  CHECK(count_of("flash2", causal, 32, 32).total.flops.matmul == 4 * 16 * 32 * 32 * 6);  // 6 of 9 tiles
}

TEST_CASE("bytes pass every level on the way, and on-chip operands are counted where they live") {
  const Run run = count_of("flash2", problem_of({64, 64, 16}, DType::f16), 32, 32);
  CHECK(run.bytes("l2", true) == run.bytes("hbm"));  // filled by every load, and by every store
  CHECK(run.bytes("l2", false) == run.bytes("hbm"));
  const u64 loaded = run.bytes("hbm", false);
  CHECK(run.bytes("sram", true) == loaded);  // Q, K, V land in SRAM
  // Each tile of scores reads q, k and v from there once: 4 tiles of (32x16 + 32x16 + 32x16) halves.
  CHECK(run.bytes("sram", false) == 4 * 3 * 32 * 16 * 2);
  CHECK(run.intensity() > 0);
}

TEST_CASE("a kernel's time is the longer roof") {
  const Run standard = count_of("standard", paper_shape(), 64, 64),
            flash = count_of("flash2", paper_shape(), 64, 64);
  CHECK(standard.time().memory == doctest::Approx(double(standard.bytes("hbm")) / 1555e9));
  CHECK(standard.time_estimate() >= standard.time().memory);
  CHECK(standard.time_estimate() > flash.time_estimate());
  // One CTA keeps one SM busy, not the machine.
  const Problem one = problem_of({1024, 1024, 64}, DType::f16);
  const Run serial = count_of("flash1", one, 64, 64);
  CHECK(serial.time_estimate() > double(serial.total.flops.matmul) / 312e12 * 108 * 0.99);
}
