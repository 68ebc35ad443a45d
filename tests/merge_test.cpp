// The merge of (m, l, O) that everything rests on: associative, with identity (-inf, 0, 0), and equal to
// softmax over the whole row however the row is split.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "sim/inputs.h"
#include "sim/softmax.h"

using namespace tilewalk;

namespace {

// Unnormalised partial result of one row over some keys; one column of V.
struct Partial {
  float m = -infinity, l = 0, o = 0;
};

Partial merge(const Partial& a, const Partial& b) {
  const Merge w = merged(a.m, b.m);
  return {w.m, w.alpha * a.l + w.beta * b.l, w.alpha * a.o + w.beta * b.o};
}

Partial of_key(float score, float value) {
  return {score, score == -infinity ? 0.0f : 1.0f, score == -infinity ? 0.0f : value};
}

struct Row {
  std::vector<float> scores, values;
};

Row random_row(std::uint64_t seed, std::size_t length, float spread) {
  Row row;
  for (std::size_t n = 0; n < length; ++n) {
    const bool hidden = random_element(seed, 2, n) > 1;
    row.scores.push_back(hidden ? -infinity : spread * random_element(seed, 0, n));
    row.values.push_back(random_element(seed, 1, n));
  }
  return row;
}

// Merges keys [begin, end) in a tree whose splits the seed chooses.
Partial merge_tree(const Row& row, std::size_t begin, std::size_t end, std::uint64_t seed) {
  if (begin == end) return {};
  if (end - begin == 1) return of_key(row.scores[begin], row.values[begin]);
  const std::size_t choices = end - begin - 1;
  const auto split =
      begin + 1 + std::size_t(double(choices) * std::abs(random_element(seed, begin, end)) / 3);
  return merge(merge_tree(row, begin, split, seed + 1), merge_tree(row, split, end, seed + 2));
}

Partial whole(const Row& row) {
  double m = -INFINITY, l = 0, o = 0;
  for (const float s : row.scores) m = std::max(m, double(s));
  for (std::size_t n = 0; n < row.scores.size() && m != -INFINITY; ++n) {
    l += std::exp(row.scores[n] - m);
    o += std::exp(row.scores[n] - m) * row.values[n];
  }
  return {float(m), float(l), float(o)};
}

bool close(const Partial& a, const Partial& b, std::size_t length) {
  const float slack = 4e-6f * float(length + 1);
  return a.m == b.m && std::abs(a.l - b.l) <= slack * std::max(1.0f, b.l) &&
         std::abs(a.o - b.o) <= slack * 3 * std::max(1.0f, b.l);
}

}  // namespace

TEST_CASE("any split of a row merges to the same m, l, O") {
  CHECK(rc::check([](std::uint64_t seed) {
    const auto length = *rc::gen::inRange<std::size_t>(0, 200);
    const float spread = float(*rc::gen::element(1, 10, 1000));
    const Row row = random_row(seed, length, spread);
    const auto split = [&](std::size_t at) {
      return merge(merge_tree(row, 0, at, seed), merge_tree(row, at, length, seed));
    };
    RC_ASSERT(close(split(*rc::gen::inRange<std::size_t>(0, length + 1)), whole(row), length));
  }));
}

TEST_CASE("merge is associative") {
  CHECK(rc::check([](std::uint64_t seed) {
    const Row row = random_row(seed, 90, 8);
    const Partial a = merge_tree(row, 0, 30, seed), b = merge_tree(row, 30, 60, seed),
                  c = merge_tree(row, 60, 90, seed);
    RC_ASSERT(close(merge(merge(a, b), c), merge(a, merge(b, c)), 90));
  }));
}

TEST_CASE("(-inf, 0, 0) is the identity, exactly") {
  CHECK(rc::check([](std::uint64_t seed) {
    const Partial a = merge_tree(random_row(seed, 20, 5), 0, 20, seed), none;
    for (const Partial& merged_with_none : {merge(a, none), merge(none, a)}) {
      RC_ASSERT(merged_with_none.m == a.m && merged_with_none.l == a.l && merged_with_none.o == a.o);
    }
  }));
  const Partial none = merge({}, {});
  CHECK(none.m == -infinity);
  CHECK(none.l == 0);
  CHECK(none.o == 0);
}

TEST_CASE("a finite stand-in for minus infinity would lose rows of very negative scores") {
  const Partial a = merge(merge({}, of_key(-90000, 2)), of_key(-90000, 4));
  CHECK(a.m == -90000);
  CHECK(a.o / a.l == 3);
}

TEST_CASE("NaN is not lost in a maximum") {
  CHECK(std::isnan(larger(std::nanf(""), 1)));
  CHECK(std::isnan(larger(1, std::nanf(""))));
  CHECK(std::isnan(merge(of_key(std::nanf(""), 1), of_key(0, 1)).l));
}
