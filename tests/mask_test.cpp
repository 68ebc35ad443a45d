#include "sim/mask.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "sim/error.h"
#include "sim/problem.h"

namespace tilewalk {
namespace {

using namespace std::string_literals;

// The message with which `parse` refuses; "" if it does not.
template <class Parse>
std::string refusal(Parse parse) {
  try {
    parse();
  } catch (const RequestError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// ---- Which keys are seen ----

struct Shape {
  std::int64_t n_q, n_kv;
};

// A mask next to its definition.
struct Case {
  std::string name;
  Mask mask;
  std::function<bool(const Shape&, std::int64_t i, std::int64_t j)> sees;
};

std::int64_t right_of_diagonal(const Shape& shape, std::int64_t i, std::int64_t j) {
  return j - (i + shape.n_kv - shape.n_q);
}

Case band(const std::string& spec, std::int64_t width, bool causal) {
  return {spec, parse_mask(spec), [=](const Shape& shape, std::int64_t i, std::int64_t j) {
            const std::int64_t distance = right_of_diagonal(shape, i, j);
            return (!causal || distance <= 0) && (width == 0 || std::abs(distance) < width);
          }};
}

std::vector<Case> bands() {
  std::vector<Case> cases = {band("none", 0, false), band("causal", 0, true)};
  for (const std::int64_t width : {1, 2, 3, 5, 100}) {
    cases.push_back(band("window:" + std::to_string(width), width, false));
    cases.push_back(band("causal+window:" + std::to_string(width), width, true));
  }
  return cases;
}

// Blocks of rows x cols elements that cover the shape, each 1 where `bit` says so.
template <class Bit>
Case block_mask(const Shape& shape, std::int64_t rows, std::int64_t cols, Bit bit) {
  std::vector<std::string> lines;
  std::string text = std::to_string(rows) + " " + std::to_string(cols) + "\n";
  for (std::int64_t i = 0; i < shape.n_q; i += rows) {
    lines.emplace_back();
    for (std::int64_t j = 0; j < shape.n_kv; j += cols) lines.back() += bit() ? '1' : '0';
    text += lines.back() + "\n";
  }
  const auto map = std::make_shared<const BlockMap>(parse_block_map(text, "map.txt"));
  return {text, Mask::blocks("blocks:map.txt", map), [=](const Shape&, std::int64_t i, std::int64_t j) {
            return lines[static_cast<std::size_t>(i / rows)][static_cast<std::size_t>(j / cols)] == '1';
          }};
}

// What the mask says of the rectangle, if that is wrong.
std::string wrong_about(const Case& test, const Shape& shape, const Rect& rect) {
  bool any = false, all = true;
  const std::int64_t shift = shape.n_kv - shape.n_q;
  const std::string place = test.name + " " + std::to_string(shape.n_q) + "x" + std::to_string(shape.n_kv) +
                            " at " + std::to_string(rect.row) + "," + std::to_string(rect.col) + ": ";
  for (std::int64_t i = rect.row; i < rect.row + rect.rows; ++i) {
    for (std::int64_t j = rect.col; j < rect.col + rect.cols; ++j) {
      const bool seen = test.sees(shape, i, j);
      any = any || seen;
      all = all && seen;
      if (test.mask.visible(i, j, shift) != seen)
        return place + "visible(" + std::to_string(i) + "," + std::to_string(j) + ")";
    }
  }
  const std::string size = "(" + std::to_string(rect.rows) + "x" + std::to_string(rect.cols) + ")";
  if (test.mask.skips(rect, shift) == any) return place + "skips" + size;
  if (test.mask.fills(rect, shift) != all) return place + "fills" + size;
  return "";
}

// The first wrong answer about any rectangle of the matrix, empty ones included.
std::string first_wrong(const Case& test, const Shape& shape) {
  for (std::int64_t row = 0; row <= shape.n_q; ++row) {
    for (std::int64_t col = 0; col <= shape.n_kv; ++col) {
      for (std::int64_t rows = 0; rows <= shape.n_q - row; ++rows) {
        for (std::int64_t cols = 0; cols <= shape.n_kv - col; ++cols) {
          const std::string wrong = wrong_about(test, shape, {row, col, rows, cols});
          if (!wrong.empty()) return wrong;
        }
      }
    }
  }
  return "";
}

const std::vector<Shape> shapes = {{1, 1}, {1, 6}, {6, 1}, {6, 6}, {4, 7}, {7, 4}, {2, 8}, {8, 2}};

TEST_CASE("mask: bands tell every rectangle as brute force does") {
  for (const Shape& shape : shapes) {
    for (const Case& test : bands()) CHECK(first_wrong(test, shape) == "");
  }
}

TEST_CASE("mask: block maps tell every rectangle as brute force does, whatever the block size") {
  std::mt19937 random(1);
  for (const Shape& shape : shapes) {
    for (const auto& [rows, cols] : {std::pair{1, 1}, {2, 3}, {3, 2}, {4, 4}, {5, 1}, {8, 8}, {50, 70}}) {
      CHECK(first_wrong(block_mask(shape, rows, cols, [&] { return random() % 2 == 0; }), shape) == "");
      CHECK(first_wrong(block_mask(shape, rows, cols, [&] { return random() % 8 != 0; }), shape) == "");
    }
  }
}

TEST_CASE("mask: random masks tell random rectangles of larger shapes as brute force does") {
  const std::vector<Case> cases = bands();
  const bool holds = rc::check("mask", [&] {
    const Shape shape{*rc::gen::inRange(1, 70), *rc::gen::inRange(1, 70)};
    Rect rect{*rc::gen::inRange<std::int64_t>(0, shape.n_q), *rc::gen::inRange<std::int64_t>(0, shape.n_kv)};
    rect.rows = *rc::gen::inRange<std::int64_t>(0, shape.n_q - rect.row + 1);
    rect.cols = *rc::gen::inRange<std::int64_t>(0, shape.n_kv - rect.col + 1);
    const std::int64_t rows = *rc::gen::inRange(1, 80), cols = *rc::gen::inRange(1, 80);
    std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
    RC_ASSERT(wrong_about(block_mask(shape, rows, cols, [&] { return random() % 4 != 0; }), shape, rect) ==
              "");
    for (const Case& test : cases) RC_ASSERT(wrong_about(test, shape, rect) == "");
    const std::int64_t width = *rc::gen::inRange(1, 140);
    const std::string window = "window:" + std::to_string(width);
    RC_ASSERT(wrong_about(band(window, width, false), shape, rect) == "");
    RC_ASSERT(wrong_about(band("causal+" + window, width, true), shape, rect) == "");
  });
  CHECK(holds);
}

TEST_CASE("mask: shifted right, each row sees one key more on the right") {
  struct Row {
    const char* spec;
    std::int64_t first, last;  // keys seen, relative to the diagonal
  };
  const Row rows[] = {{"none", -99, 99},   {"causal", -99, 1},         {"window:1", 0, 1},
                      {"window:3", -2, 3}, {"causal+window:3", -2, 1}, {"causal+window:1", 0, 1}};
  for (const Row& row : rows) {
    CAPTURE(row.spec);
    const Mask mask = parse_mask(row.spec).shifted_right();
    for (std::int64_t shift : {-2, 0, 3}) {
      for (std::int64_t distance = -10; distance <= 10; ++distance) {
        CHECK(mask.visible(20, 20 + shift + distance, shift) ==
              (distance >= row.first && distance <= row.last));
      }
    }
  }
}

// ---- parse_mask ----

TEST_CASE("mask: what is given comes back, and tells its kind") {
  struct Row {
    std::string spec;
    bool none, causal;
  };
  const Row rows[] = {{"none", true, false},
                      {"causal", false, true},
                      {"window:2", false, false},
                      {"window:1099511627776", false, false},
                      {"causal+window:1", false, true},
                      {"causal+window:128", false, true}};
  for (const Row& row : rows) {
    CAPTURE(row.spec);
    const Mask mask = parse_mask(row.spec);
    CHECK(mask.spec() == row.spec);
    CHECK(mask.is_none() == row.none);
    CHECK(mask.is_causal() == row.causal);
    CHECK(mask.map() == nullptr);
  }
  const auto map = std::make_shared<const BlockMap>(parse_block_map("1 1\n1\n", "map.txt"));
  CHECK(Mask::blocks("blocks:map.txt", map).spec() == "blocks:map.txt");
  CHECK_FALSE(Mask::blocks("blocks:map.txt", map).is_none());
}

TEST_CASE("mask: a refusal names --mask, the value and the remedy, in one line") {
  struct Row {
    std::string spec, remedy;
  };
  const std::string width = "window:128",
                    known = "Known: none, causal, window:W, causal+window:W, blocks:FILE";
  const Row rows[] = {
      {"", known},
      {"Causal", "did you mean 'causal'"},
      {"causl", "did you mean 'causal'"},
      {"non", "did you mean 'none'"},
      {" none", "did you mean 'none'"},
      {"none ", "did you mean 'none'"},
      {"causal+", "did you mean 'causal'"},
      {"window", "did you mean 'window:W'"},
      {"causal+window", "did you mean 'causal+window:W'"},
      {"causal+causal", known},
      {"causal,window:4", known},
      {"window=4", known},
      {"sliding", known},
      {"window:", width},
      {"window:0", width},
      {"window:-3", width},
      {"window:+3", width},
      {"window:x", width},
      {"window:3.5", width},
      {"window:1e3", width},
      {"window: 4", width},
      {"window:4 ", width},
      {"window:4+causal", width},
      {"causal+window:0", width},
      {"causal+window:", width},
      {"window:9223372036854775808", width},
      {"window:99999999999999999999999", width},
      {"window:1099511627777", "1099511627776"},  // too large: the message must say what the most is
  };
  for (const Row& row : rows) {
    const std::string message = refusal([&] { parse_mask(row.spec); });
    CAPTURE(row.spec);
    CAPTURE(message);
    CHECK(message.starts_with("--mask"));
    CHECK(contains(message, row.spec));
    CHECK(contains(message, row.remedy));
  }
}

TEST_CASE("mask: whatever the value, a refusal is one short line") {
  for (const std::string& spec : {"cau\nsal"s, "window:\n4"s, "window:4\r"s, "x" + std::string(5000, 'y'),
                                  "window:" + std::string(5000, '9')}) {
    const std::string message = refusal([&] { parse_mask(spec); });
    CAPTURE(message);
    CHECK(message.starts_with("--mask"));
    CHECK(message.find_first_of("\n\r") == std::string::npos);
    CHECK(message.size() < 400);
  }
}

// ---- parse_block_map ----

std::vector<std::string> rows_of(const BlockMap& map) {
  std::vector<std::string> rows;
  for (std::int64_t r = 0; r < map.rows; ++r) {
    rows.emplace_back();
    for (std::int64_t c = 0; c < map.cols; ++c)
      rows.back() += static_cast<char>('0' + map.ones(r, c, r + 1, c + 1));
  }
  return rows;
}

TEST_CASE("block map: every way to write the same map is read") {
  const std::string texts[] = {"2 3\n101\n010\n",
                               "2 3\n101\n010",
                               "2 3\r\n101\r\n010\r\n",
                               "2 3\n1 0 1\n0 1 0\n",
                               "2\t3\n1\t0\t1\n\t0 1 0 \n",
                               "  2   3  \n1 01\n  010\n",
                               "2 3\n\n101\n\n \t\n010\n\n\n",
                               "2 3\r\n\r\n1 0 1\r\n010\r\n\r\n"};
  for (const std::string& text : texts) {
    CAPTURE(text);
    const BlockMap map = parse_block_map(text, "map.txt");
    CHECK(map.block_rows == 2);
    CHECK(map.block_cols == 3);
    CHECK(rows_of(map) == std::vector<std::string>{"101", "010"});
  }
}

TEST_CASE("block map: ones are counted in every rectangle") {
  const std::vector<std::string> rows = {"10110", "00000", "11111", "01010"};
  const BlockMap map = parse_block_map("1 1\n10110\n00000\n11111\n01010\n", "map.txt");
  REQUIRE(rows_of(map) == rows);
  int wrong = 0;
  for (std::size_t r0 = 0; r0 <= 4; ++r0) {
    for (std::size_t r1 = r0; r1 <= 4; ++r1) {
      for (std::size_t c0 = 0; c0 <= 5; ++c0) {
        for (std::size_t c1 = c0; c1 <= 5; ++c1) {
          std::int64_t ones = 0;
          for (std::size_t r = r0; r < r1; ++r)
            ones += std::count(rows[r].begin() + std::int64_t(c0), rows[r].begin() + std::int64_t(c1), '1');
          wrong += map.ones(std::int64_t(r0), std::int64_t(c0), std::int64_t(r1), std::int64_t(c1)) != ones;
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("block map: a refusal names the file, the line and the fault") {
  struct Row {
    std::string text;
    int line;
    std::string fault;
  };
  const std::string sizes = "two whole numbers of at least 1", bits = "only 0 and 1", none = "no rows";
  const Row rows[] = {
      {"", 1, sizes},
      {"\n", 1, sizes},
      {"\n2 2\n11\n", 1, sizes},
      {"10\n01\n", 1, sizes},    // the first line is missing
      {"1 0\n0 1\n", 1, sizes},  // the same, with spaces
      {"1 0 1\n0 1 0\n", 1, sizes},
      {"64\n11\n", 1, sizes},
      {"64 64 64\n11\n", 1, sizes},
      {"0 1\n1\n", 1, sizes},
      {"1 0\n1\n", 1, sizes},
      {"-1 2\n1\n", 1, sizes},
      {"2 -1\n1\n", 1, sizes},
      {"+1 2\n1\n", 1, sizes},
      {"1.5 2\n1\n", 1, sizes},
      {"1,2\n1\n", 1, sizes},
      {"a b\n1\n", 1, sizes},
      {"0x10 2\n1\n", 1, sizes},
      {"9223372036854775808 1\n1\n", 1, sizes},
      {"1 99999999999999999999999\n1\n", 1, sizes},
      {"\xef\xbb\xbf"
       "2 2\n1\n",
       1, sizes},               // a byte order mark
      {"2 2\r11\r", 1, sizes},  // line breaks of old Macs
      {"2 2\0\n11\n"s, 1, sizes},
      {"2 2", 1, none},
      {"2 2\n", 1, none},
      {"2 2\r\n\r\n \t\r\n", 3, none},
      {"2 2\n102\n", 2, bits},
      {"2 2\n11\n1x\n", 3, bits},
      {"2 2\n11\n\n\n1-\n", 5, bits},
      {"2 2\n1,0\n", 2, bits},
      {"2 2\n11\n# a comment\n", 3, bits},
      {"2 2\n1\0\n"s, 2, bits},
      {"2 2\n1\r0\n", 2, bits},
      {"2 2\n\xd9\xa1\n", 2, bits},  // an Arabic 1
      {"2 2\n101\n10\n", 3, "has 2 blocks, the first row has 3"},
      {"2 2\r\n101\r\n\r\n1011\r\n", 4, "has 4 blocks, the first row has 3"},
      {"2 2\n1\n11\n", 3, "give every row the same number"},
  };
  for (const Row& row : rows) {
    const std::string message = refusal([&] { parse_block_map(row.text, "dir/map.txt"); });
    CAPTURE(row.text);
    CAPTURE(message);
    CHECK(message.starts_with("block mask dir/map.txt, line " + std::to_string(row.line) + ": "));
    CHECK(contains(message, row.fault));
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("block map: a block may be larger than any matrix") {
  const std::int64_t most = INT64_MAX;
  const std::string size = std::to_string(most);
  const auto map = std::make_shared<const BlockMap>(parse_block_map(size + " " + size + "\n1\n", "map.txt"));
  CHECK(map->block_rows == most);
  Problem problem;
  problem.n_q = 5;
  problem.n_kv = 7;
  problem.mask = Mask::blocks("blocks:map.txt", map);
  CHECK(refusal([&] { validate(problem); }) == "");  // one block covers it all
  CHECK(problem.mask.fills({0, 0, 5, 7}, 2));
  CHECK_FALSE(problem.mask.skips({0, 0, 5, 7}, 2));
}

TEST_CASE("block map: a problem that it does not cover exactly is refused with both sizes") {
  const auto map = std::make_shared<const BlockMap>(parse_block_map("2 3\n101\n010\n", "map.txt"));
  struct Row {
    std::int64_t n_q, n_kv;
    bool covered;
  };
  for (const Row& row : {Row{4, 9, true},
                         {3, 7, true},
                         {4, 6, false},
                         {4, 10, false},
                         {2, 9, false},
                         {5, 9, false},
                         {0, 9, false},
                         {4, 0, false}}) {
    Problem problem;
    problem.n_q = row.n_q;
    problem.n_kv = row.n_kv;
    problem.mask = Mask::blocks("blocks:map.txt", map);
    const std::string message = refusal([&] { validate(problem); });
    CAPTURE(message);
    CHECK(message.empty() == row.covered);
    if (row.covered) continue;
    CHECK(message.starts_with("--mask blocks:map.txt: holds 2 x 3 blocks of 2 x 3"));
    CHECK(contains(message, "needs exactly " + std::to_string((row.n_q + 1) / 2) + " x " +
                                std::to_string((row.n_kv + 2) / 3)));
  }
}

// One random edit, mostly with bytes that mean something to the format.
void mutate(std::string& text, std::mt19937& random) {
  constexpr std::string_view telling = "0101 \t\n\r29-+x\0\xff";
  const std::size_t at = text.empty() ? 0 : random() % text.size();
  const char byte = random() % 8 ? telling[random() % telling.size()] : static_cast<char>(random());
  switch (random() % 5) {
    case 0: text.insert(at, 1 + random() % 20, byte); break;
    case 1: text.erase(at, 1 + random() % 5); break;
    case 2: text.resize(at); break;
    default:
      if (!text.empty()) text[at] = byte;
  }
}

TEST_CASE("block map: 20,000 mutated texts give a map of all their digits or a refusal, nothing else") {
  const std::string seeds[] = {"2 3\n101\n010\n", "64 64\r\n1 0 1 1\r\n0 1 1 0\r\n", "1 1\n1\n",
                               "16\t8\n\n11111111\n00000000\n10101010\n"};
  std::mt19937 random(3);
  int parsed = 0, refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = seeds[random() % std::size(seeds)];
    for (auto edits = random() % 3; edits > 0; --edits) mutate(text, random);
    CAPTURE(text);
    try {
      const BlockMap map = parse_block_map(text, "fuzz.txt");
      ++parsed;
      const auto body = text.begin() + std::int64_t(text.find('\n'));
      const std::int64_t ones = std::count(body, text.end(), '1'),
                         all = ones + std::count(body, text.end(), '0');
      REQUIRE(map.block_rows >= 1);
      REQUIRE(map.block_cols >= 1);
      REQUIRE(map.rows * map.cols == all);
      REQUIRE(map.ones(0, 0, map.rows, map.cols) == ones);
    } catch (const RequestError& error) {
      ++refused;
      const std::string message = error.what();
      REQUIRE(message.starts_with("block mask fuzz.txt, line "));
      const int line = std::stoi(message.substr(26));
      REQUIRE(line >= 1);
      REQUIRE(line <= 1 + std::count(text.begin(), text.end(), '\n'));
      REQUIRE(message.find('\n') == std::string::npos);
      REQUIRE(message.size() < 200);
    }
  }
  CHECK(parsed > 5000);
  CHECK(refused > 5000);
}

}  // namespace
}  // namespace tilewalk
