// Block sizes: what --tiling fit and --tiling paper choose, and what is said when tiles do not fit.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/error.h"
#include "sim/plan.h"

namespace tilewalk {
namespace {

// The message with which `act` refuses; "" if it does not.
template <class Act>
std::string refusal(Act act) {
  try {
    act();
  } catch (const RequestError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What stands in `text` after `before` and up to `after`.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  REQUIRE(contains(text, before));
  const std::string rest = text.substr(text.find(before) + before.size());
  return rest.substr(0, rest.find(after));
}

Problem square(std::int64_t n, std::int64_t d, DType type) {
  Problem problem;
  problem.n_q = problem.n_kv = n;
  problem.d = d;
  problem.dtype = type;
  return problem;
}

RunConfig config_of(const Algorithm& algorithm, const Problem& problem, const Tiling& tiling,
                    const Arch& arch) {
  return {&algorithm, problem, tiling, arch, nullptr};
}

// ---- The rule again, from the design and the papers ----

struct Capacity {
  std::int64_t sram, reg;  // bytes; 0: not limited
};

// Per block, from REFERENCE.md. The lecture's is in elements.
Capacity capacity_of(const std::string& arch, std::int64_t size) {
  constexpr std::int64_t kib = 1024;
  if (arch == "toy") return {256, 256};
  if (arch == "lecture") return {1'000'000 * size, 0};
  if (arch == "v100") return {96 * kib, 256 * kib};
  if (arch == "t4") return {64 * kib, 256 * kib};
  if (arch == "a100" || arch == "a100-80") return {163 * kib, 256 * kib};
  if (arch == "h100" || arch == "h200") return {227 * kib, 256 * kib};
  FAIL("no capacity of " << arch << " here");
  return {};
}

std::int64_t size_in_bytes(DType type) { return type == DType::f32 ? 4 : 2; }

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

Tiling paper(std::int64_t m, std::int64_t d) {
  const std::int64_t block_kv = ceil_div(m, 4 * d);
  return {std::min(block_kv, d), block_kv, Order::ascending};
}

std::int64_t rounded_down(std::int64_t block, std::int64_t n) {
  std::int64_t power = 1;
  while (2 * power <= block && 2 * power <= n) power *= 2;
  return power;
}

// Bytes that the algorithm's tiles take, by hand: Q K V of `s` bytes an element; S, O and vectors f32, but S
// and P that come from HBM. flash2 and fused_nosoftmax keep S, O and vectors in registers.
bool fits_by_hand(const std::string& algorithm, const Problem& p, const Tiling& t, const Capacity& most) {
  const std::int64_t s = size_in_bytes(p.dtype), d = p.d;
  const std::int64_t q = std::min(t.block_q, p.n_q), kv = std::min(t.block_kv, p.n_kv);
  const auto within = [](std::int64_t bytes, std::int64_t capacity) {
    return capacity == 0 || bytes <= capacity;
  };
  const std::int64_t inputs = s * (q + 2 * kv) * d, scores = 4 * q * kv, o = 4 * q * d;
  if (algorithm == "flash2") return within(inputs, most.sram) && within(scores + o + 4 * 4 * q, most.reg);
  if (algorithm == "fused_nosoftmax") return within(inputs, most.sram) && within(scores + o, most.reg);
  if (algorithm.starts_with("flash1")) return within(inputs + scores + o + 6 * 4 * q, most.sram);
  const bool two_kernels =
      within(s * (q + kv) * d + scores, most.sram) && within(s * q * kv + s * kv * d + o, most.sram);
  if (algorithm == "standard_nosoftmax") return two_kernels;
  const bool a_row_fits = within(std::max<std::int64_t>(1, p.n_kv) * s, most.sram);
  return two_kernels && (a_row_fits || within(s * q * kv + 3 * 4 * q, most.sram));
}

// From the first candidate: halve block_kv, then block_q, in turn, as far as they are free.
std::vector<Tiling> candidates(Tiling tiling, bool free_q, bool free_kv) {
  std::vector<Tiling> list{tiling};
  for (bool kv_turn = true;; kv_turn = !kv_turn) {
    const bool can_kv = free_kv && tiling.block_kv > 1, can_q = free_q && tiling.block_q > 1;
    if (!can_kv && !can_q) return list;
    std::int64_t& block = (kv_turn ? can_kv : !can_q) ? tiling.block_kv : tiling.block_q;
    block /= 2;
    list.push_back(tiling);
  }
}

struct Expected {
  Tiling tiling;
  bool fits;
};
Expected expected_fit(const std::string& algorithm, const Problem& p, const std::string& arch,
                      const TilingRequest& request) {
  const Capacity most = capacity_of(arch, size_in_bytes(p.dtype));
  Tiling first = paper(most.sram / size_in_bytes(p.dtype), p.d);
  first.block_q = request.block_q ? request.block_q : rounded_down(first.block_q, p.n_q);
  first.block_kv = request.block_kv ? request.block_kv : rounded_down(first.block_kv, p.n_kv);
  const auto list = candidates(first, request.block_q == 0, request.block_kv == 0);
  for (const Tiling& tiling : list) {
    if (fits_by_hand(algorithm, p, tiling, most)) return {tiling, true};
  }
  return {list.back(), false};
}

std::string words(const Tiling& tiling) {
  return std::to_string(tiling.block_q) + " x " + std::to_string(tiling.block_kv);
}

// A run that does not fit is refused with what it asks for, what there is, and what to do.
void check_misfit_message(const RunConfig& config) {
  const std::string misfit = draft_plan(config).misfit();
  const std::string message = refusal([&] { make_plan(config); });
  CAPTURE(message);
  CHECK(message.starts_with("--block-q " + std::to_string(config.tiling.block_q) + " --block-kv " +
                            std::to_string(config.tiling.block_kv) + ": kernel "));
  CHECK_FALSE(misfit.empty());
  CHECK(contains(message, misfit));
  const Arch sized = config.arch.in_bytes(config.problem.dtype);
  const std::uint64_t asked = std::stoull(between(misfit, " needs ", " B of "));
  const std::uint64_t there = std::stoull(between(misfit, "), " + config.arch.name + " has ", " B"));
  CHECK(there == sized.levels[std::size_t(sized.level(between(misfit, " B of ", " (")))].capacity);
  CHECK(asked > there);
  CHECK((contains(message, " would fit") || contains(message, "not even blocks of one row fit")));
}

constexpr DType types[] = {DType::f16, DType::bf16, DType::f32};

TEST_CASE("tiling: fit chooses by the rule, for every machine, algorithm, dtype, d and n") {
  int fitting = 0, misfitting = 0;
  for (const Arch& arch : archs()) {
    for (const Algorithm* algorithm : algorithms()) {
      for (const DType type : types) {
        for (const std::int64_t d : {1, 40, 64, 128, 256}) {
          for (const std::int64_t n : {0, 1, 5, 113, 1024}) {
            const Problem problem = square(n, d, type);
            const Tiling chosen = choose_tiling({}, *algorithm, problem, arch);
            const Expected expected = expected_fit(std::string(algorithm->name), problem, arch.name, {});
            const RunConfig config = config_of(*algorithm, problem, chosen, arch);
            CAPTURE(arch.name);
            CAPTURE(algorithm->name);
            CAPTURE(name_of(type));
            CAPTURE(d);
            CAPTURE(n);
            CHECK(words(chosen) == words(expected.tiling));
            CHECK(draft_plan(config).misfit().empty() == expected.fits);
            (expected.fits ? fitting : misfitting)++;
            if (!expected.fits) check_misfit_message(config);
          }
        }
      }
    }
  }
  CHECK(fitting > 2500);
  CHECK(misfitting > 50);  // on toy
}

TEST_CASE("tiling: well-known choices") {
  struct Row {
    std::string_view algorithm, arch;
    std::int64_t d;
    DType type;
    std::string blocks;
  };
  const Row rows[] = {
      {"flash1", "a100", 64, DType::f16, "64 x 256"},  // Bc = ceil(83456 / 256) = 326
      {"flash2", "a100", 64, DType::f16, "64 x 256"},
      {"flash1", "a100", 128, DType::f16, "128 x 64"},  // 128 x 128 halved once: takes 163 KiB exactly
      {"flash2", "a100", 128, DType::f16, "128 x 128"},
      {"flash2", "h200", 128, DType::f32, "64 x 64"},  // Bc = ceil(58112 / 512) = 114
      {"flash1", "lecture", 64, DType::f16, "64 x 1024"},
      {"standard", "t4", 64, DType::f16, "64 x 128"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.algorithm);
    CAPTURE(row.arch);
    CHECK(words(choose_tiling({}, algorithm_named(row.algorithm), square(1024, row.d, row.type),
                              arch_named(row.arch))) == row.blocks);
  }
}

TEST_CASE("tiling: n_q bounds block_q, n_kv block_kv") {
  Problem problem = square(0, 64, DType::f16);
  problem.n_q = 40;
  problem.n_kv = 9;
  CHECK(words(choose_tiling({}, flash2, problem, arch_named("a100"))) == "32 x 8");
  CHECK(words(choose_tiling({TilingMode::paper}, flash2, problem, arch_named("a100"))) == "40 x 9");
}

TEST_CASE("tiling: what is given explicitly is kept, and the rest fits around it") {
  for (const Algorithm* algorithm : algorithms()) {
    for (const Arch& arch : archs()) {
      const Problem problem = square(1000, 64, DType::f16);
      for (const auto& [q, kv] : {std::pair{48, 0}, {0, 48}, {1000, 0}, {0, 1000}, {3, 7}, {5000, 5000}}) {
        const TilingRequest request{TilingMode::fit, q, kv, Order::descending};
        const Tiling chosen = choose_tiling(request, *algorithm, problem, arch);
        const Expected expected = expected_fit(std::string(algorithm->name), problem, arch.name, request);
        CAPTURE(algorithm->name);
        CAPTURE(arch.name);
        CAPTURE(words(chosen));
        if (q) CHECK(chosen.block_q == q);
        if (kv) CHECK(chosen.block_kv == kv);
        CHECK(words(chosen) == words(expected.tiling));
        CHECK(chosen.order == Order::descending);
        if (!expected.fits) check_misfit_message(config_of(*algorithm, problem, chosen, arch));
      }
    }
  }
}

TEST_CASE("tiling: paper takes exactly Bc = ceil(M/4d), Br = min(Bc, d), and keeps what is given") {
  for (const Arch& arch : archs()) {
    for (const DType type : types) {
      for (const std::int64_t d : {1, 40, 64, 128, 256}) {
        const std::int64_t s = size_in_bytes(type);
        const Tiling expected = paper(capacity_of(arch.name, s).sram / s, d);
        const Problem problem = square(std::int64_t{1} << 20, d, type);
        CAPTURE(arch.name);
        CAPTURE(d);
        CHECK(words(choose_tiling({TilingMode::paper}, flash1, problem, arch)) == words(expected));
        CHECK(words(choose_tiling({TilingMode::paper, 17, 0}, flash1, problem, arch)) ==
              "17 x " + std::to_string(expected.block_kv));
        CHECK(words(choose_tiling({TilingMode::paper, 0, 17}, flash1, problem, arch)) ==
              std::to_string(expected.block_q) + " x 17");
      }
    }
  }
}

// REFERENCE, section 2: with 16-bit tiles but f32 S, O, m, l the paper's blocks overflow by 1.1-1.6x.
TEST_CASE("tiling: the paper's blocks do not fit flash1 on a real SM, and that is said") {
  struct Row {
    std::int64_t d, bytes;
  };
  for (const Row& row : {Row{64, 193024}, {128, 268288}}) {
    const Problem problem = square(4096, row.d, DType::f16);
    const Arch& a100 = arch_named("a100");
    const Tiling tiling = choose_tiling({TilingMode::paper}, flash1, problem, a100);
    const RunConfig config = config_of(flash1, problem, tiling, a100);
    check_misfit_message(config);
    CHECK(contains(refusal([&] { make_plan(config); }),
                   "kernel flash1 needs " + std::to_string(row.bytes) + " B of sram (q "));
    CHECK(contains(refusal([&] { make_plan(config); }), "a100 has 166912 B"));
    CHECK(refusal([&] { make_plan(config_of(flash2, problem, tiling, a100)); }) == "");
  }
}

TEST_CASE("tiling: toy's own defaults fit every algorithm") {
  for (const Algorithm* algorithm : algorithms()) {
    CAPTURE(algorithm->name);
    const RunConfig config =
        config_of(*algorithm, square(8, 4, DType::f32), {2, 2, Order::ascending}, arch_named("toy"));
    CHECK(refusal([&] { make_plan(config); }) == "");
  }
}

// The blocks that the message suggests, in place of the config's.
Tiling suggestion(const std::string& message, Tiling tiling) {
  const std::string remedy = message.substr(message.rfind("; "));
  REQUIRE(remedy.ends_with(" would fit"));
  if (contains(remedy, "--block-q ")) tiling.block_q = std::stoll(between(remedy, "--block-q ", " "));
  tiling.block_kv = std::stoll(between(remedy, "--block-kv ", " "));
  return tiling;
}

TEST_CASE("tiling: what is said to fit does fit, and twice as much does not") {
  int only_kv = 0, both = 0;
  for (const Algorithm* algorithm : algorithms()) {
    for (const Arch& arch : archs()) {
      for (const auto& [q, kv] : {std::pair{1024, 1024}, {1000, 77}, {64, 4096}, {4096, 1}, {3, 999}}) {
        const std::int64_t d = arch.name == "toy" ? 4 : 128;
        const RunConfig config =
            config_of(*algorithm, square(4096, d, DType::f32), {q, kv, Order::ascending}, arch);
        const std::string message = refusal([&] { make_plan(config); });
        if (message.empty()) continue;
        CAPTURE(message);
        RunConfig other = config;
        other.tiling = suggestion(message, config.tiling);
        CHECK(refusal([&] { make_plan(other); }) == "");
        (other.tiling.block_q == q ? only_kv : both)++;
        if (other.tiling.block_q != q)
          other.tiling.block_q = std::min<std::int64_t>(q, 2 * other.tiling.block_q + 1);
        other.tiling.block_kv = std::min<std::int64_t>(kv, 2 * other.tiling.block_kv + 1);
        CHECK(refusal([&] { make_plan(other); }) != "");
      }
    }
  }
  CHECK(only_kv > 20);
  CHECK(both > 20);
}

TEST_CASE("tiling: on any machine the choice fits, or not even blocks of one row do") {
  const bool holds = rc::check("fit", [] {
    Arch arch = arch_named("a100");
    arch.levels[2].capacity = *rc::gen::inRange<std::uint64_t>(1, 1 << *rc::gen::inRange(1, 20));
    arch.levels[3].capacity = *rc::gen::inRange<std::uint64_t>(1, 1 << *rc::gen::inRange(1, 20));
    Problem problem = square(0, *rc::gen::inRange(1, 300),
                             *rc::gen::elementOf(std::vector<DType>(std::begin(types), std::end(types))));
    problem.n_q = *rc::gen::inRange(0, 2000);
    problem.n_kv = *rc::gen::inRange(0, 2000);
    for (const Algorithm* algorithm : algorithms()) {
      RunConfig config = config_of(*algorithm, problem, choose_tiling({}, *algorithm, problem, arch), arch);
      const bool fits = draft_plan(config).misfit().empty();
      const std::string message = refusal([&] { make_plan(config); });
      RC_ASSERT(fits == message.empty());
      config.tiling = {1, 1, Order::ascending};
      RC_ASSERT(fits == draft_plan(config).misfit().empty());
      RC_ASSERT(fits || contains(message, "not even blocks of one row fit: choose a smaller --d"));
    }
  });
  CHECK(holds);
}

TEST_CASE("tiling: blocks out of range are refused with the flag, the value and the bound") {
  struct Row {
    std::int64_t block_q, block_kv;
    std::string start, bound;
  };
  const Row rows[] = {
      {-1, 64, "--block-q -1: ", "at least 1"},
      {64, -64, "--block-kv -64: ", "at least 1"},
      {0, 64, "--block-q 0: ", "at least 1"},
      {64, 0, "--block-kv 0: ", "at least 1"},
      {(std::int64_t{1} << 30) + 1, 64, "--block-q 1073741825: ", "1073741824"},
      {64, INT64_MAX, "--block-kv 9223372036854775807: ", "1073741824"},
  };
  for (const Row& row : rows) {
    const RunConfig config = config_of(flash2, square(64, 64, DType::f16),
                                       {row.block_q, row.block_kv, Order::ascending}, arch_named("a100"));
    const std::string message = refusal([&] { make_plan(config); });
    CAPTURE(message);
    CHECK(message.starts_with(row.start));
    CHECK(contains(message, row.bound));
  }
  const TilingRequest request{TilingMode::fit, -5, 0};
  CHECK(refusal([&] {
          choose_tiling(request, flash2, square(64, 64, DType::f16), arch_named("a100"));
        }).starts_with("--block-q -5: "));
}

}  // namespace
}  // namespace tilewalk
