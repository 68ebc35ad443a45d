#include "sim/inputs.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sim/error.h"

namespace tilewalk {
namespace {

// SplitMix64 as its authors publish it: a state and its next output.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t output(std::uint64_t n) {  // the n-th from here, slowly
    while (n-- > 0) next();
    return next();
  }

 private:
  std::uint64_t state_;
};

// The formula of inputs.h again, in double, which is exact too.
double element(std::uint64_t seed, std::uint64_t tensor, std::uint64_t index) {
  const std::uint64_t bits = SplitMix64(SplitMix64(seed).output(tensor)).output(index);
  double sum = 0;
  for (int part = 0; part < 3; ++part) sum += static_cast<double>((bits >> (21 * part)) % (1u << 21));
  return (sum - 1.5 * ((1 << 21) - 1)) / (1 << 20);
}

TEST_CASE("inputs: the generator of this test is SplitMix64") {
  SplitMix64 generator(1234567);  // a published test vector
  for (const std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                       4593380528125082431u, 16408922859458223821u})
    CHECK(generator.next() == expected);
}

TEST_CASE("inputs: every element is the formula's, exactly") {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2024}, UINT64_MAX}) {
    for (std::uint64_t tensor = 0; tensor < 4; ++tensor) {
      for (const std::uint64_t index : {0, 1, 2, 3, 63, 64, 1000}) {
        CAPTURE(seed);
        CAPTURE(tensor);
        CAPTURE(index);
        CHECK(static_cast<double>(random_element(seed, tensor, index)) == element(seed, tensor, index));
      }
    }
  }
}

TEST_CASE("inputs: the numbers that this program has always had") {
  struct Row {
    std::uint64_t seed, tensor, index;
    float value;
  };
  const Row rows[] = {
      {0, 0, 0, -0x1.a2b84p-3f},          {0, 0, 1, -0x1.340adp-1f},
      {0, 1, 0, -0x1.c1aa6p-2f},          {0, 2, 0, 0x1.d0ff5p-1f},
      {1, 0, 0, 0x1.9352a8p0f},           {7, 2, 4'194'303, 0x1.2d562p-2f},
      {UINT64_MAX, 1, 5, -0x1.665f2p-2f}, {3, 0, std::uint64_t{1} << 40, -0x1.bb0fep-2f},
  };
  for (const Row& row : rows) {
    CAPTURE(row.seed);
    CAPTURE(row.tensor);
    CAPTURE(row.index);
    CHECK(random_element(row.seed, row.tensor, row.index) == row.value);
  }
}

std::vector<double> stream(std::uint64_t seed, std::uint64_t tensor, std::uint64_t first, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t n = 0; n < count; ++n)
    values[n] = static_cast<double>(random_element(seed, tensor, first + n));
  return values;
}

double mean_product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t n = 0; n < a.size(); ++n) sum += a[n] * b[n];
  return sum / static_cast<double>(a.size());
}

constexpr std::size_t many = 100'000;

TEST_CASE("inputs: mean 0, variance 1, range (-3, 3), and multiples of 2^-21") {
  for (const std::uint64_t seed : {0, 1, 12345}) {
    for (const std::uint64_t tensor : {0, 1, 2}) {
      const std::vector<double> x = stream(seed, tensor, 0, many);
      int outside = 0, inexact = 0, far = 0;
      for (const double value : x) {
        outside += !(std::abs(value) < 3);
        inexact += value * 0x1p21 != std::floor(value * 0x1p21);
        far += std::abs(value) > 2;
      }
      CHECK(outside == 0);
      CHECK(inexact == 0);
      CHECK(std::abs(far / double(many) - 1.0 / 24) < 0.003);  // bell-shaped: 1/24 lies beyond 2
      CHECK(std::abs(mean_product(x, std::vector<double>(many, 1.0))) < 0.0127);  // four standard errors
      CHECK(std::abs(mean_product(x, x) - 1) < 0.016);
    }
  }
}

TEST_CASE("inputs: seeds, tensors and places give unrelated numbers") {
  const std::vector<double> x = stream(0, 0, 0, many);
  const std::vector<std::vector<double>> others = {stream(1, 0, 0, many),  stream(0, 1, 0, many),
                                                   stream(0, 2, 0, many),  stream(0, 0, 1, many),
                                                   stream(0, 0, 64, many), stream(1, 1, 0, many)};
  for (const std::vector<double>& other : others) {
    CHECK(std::abs(mean_product(x, other)) < 0.0127);
    int equal = 0;
    for (std::size_t n = 0; n < many; ++n) equal += x[n] == other[n];
    CHECK(equal < 10);
  }
}

Problem small_problem(DType type) {
  Problem problem;
  problem.batch = 2;
  problem.heads = 4;
  problem.kv_heads = 2;
  problem.n_q = 5;
  problem.n_kv = 7;
  problem.d = 3;
  problem.dtype = type;
  return problem;
}

TEST_CASE("inputs: Q, K and V are tensors 0, 1 and 2, rounded to the problem's dtype") {
  for (const DType type : {DType::f16, DType::bf16, DType::f32}) {
    const Inputs inputs = random_inputs(small_problem(type), 9);
    CHECK(inputs.q.size() == 2 * 4 * 5 * 3);
    CHECK(inputs.k.size() == 2 * 2 * 7 * 3);
    CHECK(inputs.v.size() == 2 * 2 * 7 * 3);
    const std::vector<float>* tensors[] = {&inputs.q, &inputs.k, &inputs.v};
    int wrong = 0, unchanged = 0;
    for (std::uint64_t tensor = 0; tensor < 3; ++tensor) {
      for (std::size_t n = 0; n < tensors[tensor]->size(); ++n) {
        const float raw = random_element(9, tensor, n);
        wrong += (*tensors[tensor])[n] != rounded(raw, type);
        unchanged += (*tensors[tensor])[n] == raw;
      }
    }
    CHECK(wrong == 0);
    CHECK((unchanged == 120 + 84 + 84) == (type == DType::f32));
  }
}

TEST_CASE("inputs: no queries or keys, no elements") {
  Problem problem = small_problem(DType::f16);
  problem.n_q = 0;
  CHECK(random_inputs(problem, 0).q.empty());
  CHECK(random_inputs(problem, 0).k.size() == 84);
  problem.n_kv = 0;
  CHECK(random_inputs(problem, 0).k.empty());
  CHECK(random_inputs(problem, 0).v.empty());
}

TEST_CASE("inputs: a user's own are rounded, and kept when they are exact") {
  const float infinity = std::numeric_limits<float>::infinity();
  Inputs own{std::vector<float>(120, 1.0001f), std::vector<float>(84, 70000.0f),
             std::vector<float>(84, -2.5f)};
  own.q[0] = std::nanf("");
  own.q[1] = -infinity;
  const Inputs half = checked_inputs(small_problem(DType::f16), own);
  CHECK(std::isnan(half.q[0]));
  CHECK(half.q[1] == -infinity);
  CHECK(half.q[119] == 1.0f);
  CHECK(half.k[83] == infinity);
  CHECK(half.v[83] == -2.5f);
  const Inputs wide = checked_inputs(small_problem(DType::f32), own);
  CHECK(wide.q[119] == 1.0001f);
  CHECK(wide.k == own.k);
}

TEST_CASE("inputs: a wrong size is refused with the flag and both sizes") {
  struct Row {
    std::vector<float> Inputs::*tensor;
    std::size_t size;
    std::string message;
  };
  const Row rows[] = {
      {&Inputs::q, 119, "--q: holds 119 elements, the problem has 120"},
      {&Inputs::q, 0, "--q: holds 0 elements, the problem has 120"},
      {&Inputs::k, 168, "--k: holds 168 elements, the problem has 84"},  // one head for each query head
      {&Inputs::v, 85, "--v: holds 85 elements, the problem has 84"},
  };
  for (const Row& row : rows) {
    Inputs inputs = random_inputs(small_problem(DType::f16), 0);
    (inputs.*row.tensor).resize(row.size);
    std::string message;
    try {
      checked_inputs(small_problem(DType::f16), inputs);
    } catch (const RequestError& error) {
      message = error.what();
    }
    CHECK(message.substr(0, row.message.size()) == row.message);
  }
}

}  // namespace
}  // namespace tilewalk
