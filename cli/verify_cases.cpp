#include "cli/verify_cases.h"

#include <iterator>

namespace tilewalk {
namespace {

struct Shape {
  const char *n, *n_kv, *d;
};

// Ragged, uneven, tiny and empty ones: the shapes of the simulator's own tests.
constexpr Shape shapes[] = {
    {"1", "1", "64"},       {"239", "1", "40"},     {"113", "203", "59"},  {"40", "64", "1"},
    {"3", "113", "128"},    {"64", "48", "111"},    {"130", "130", "16"},  {"0", "5", "8"},
    {"5", "0", "8"},        {"17", "33", "5"},      {"799", "3", "64"},    {"3", "513", "64"},
    {"1023", "1024", "40"}, {"1024", "1023", "59"}, {"256", "256", "128"}, {"65", "300", "256"}};
constexpr const char* masks[] = {"none", "causal", "window:5", "causal+window:40", "blocks"};
constexpr const char* dtypes[] = {"f16", "bf16", "f32"};

// Sizes at which the bytes into the SMs are compared, too; heads that share keys; tilings of the scalar
// rungs.
struct Special {
  Shape shape;
  const char *batch, *heads, *kv_heads, *mask, *dtype, *block_q, *block_kv, *order;
};
constexpr Special specials[] = {
    {{"1024", "1024", "64"}, "1", "1", "1", "none", "f16", nullptr, nullptr, nullptr},
    {{"1024", "1024", "64"}, "1", "2", "2", "causal", "bf16", nullptr, nullptr, nullptr},
    {{"2048", "2048", "128"}, "1", "2", "1", "none", "bf16", nullptr, nullptr, nullptr},
    {{"2048", "2048", "128"}, "1", "2", "2", "causal", "f16", nullptr, nullptr, nullptr},
    {{"100", "100", "32"}, "2", "6", "6", "causal", "bf16", nullptr, nullptr, nullptr},
    {{"100", "100", "32"}, "2", "6", "2", "causal", "f16", "16", "64", nullptr},
    {{"80", "96", "80"}, "2", "6", "1", "window:7", "bf16", "7", "5", nullptr},
    {{"200", "200", "111"}, "1", "1", "1", "causal+window:50", "f16", "48", "40", "descending"},
    {{"9", "13", "6"}, "1", "1", "1", "causal", "f32", "1", "1", nullptr},
};

std::string text_of(const Shape& s) { return std::string(s.n) + " x " + s.n_kv + " x " + s.d; }

VerifyCase case_of(const Shape& shape) {
  VerifyCase result;
  result.group = text_of(shape);
  result.flags.n = shape.n;
  result.flags.n_kv = shape.n_kv;
  result.flags.d = shape.d;
  return result;
}

Flag flag_of(const char* text) { return text ? Flag(text) : Flag(); }

}  // namespace

std::vector<VerifyCase> verify_cases() {
  std::vector<VerifyCase> cases;
  std::size_t turn = 0;  // element types take turns: each mask meets each, and so does each shape
  for (const Shape& shape : shapes) {
    for (const char* mask : masks) {
      VerifyCase c = case_of(shape);
      c.block_map = std::string_view(mask) == "blocks";
      if (c.block_map && (c.flags.n == "0" || c.flags.n_kv == "0")) continue;  // no blocks
      if (!c.block_map) c.flags.mask = mask;
      c.flags.dtype = dtypes[turn++ % std::size(dtypes)];
      cases.push_back(c);
    }
  }
  for (const Special& s : specials) {
    VerifyCase c = case_of(s.shape);
    c.flags.batch = s.batch;
    c.flags.heads = s.heads;
    c.flags.kv_heads = s.kv_heads;
    c.flags.mask = s.mask;
    c.flags.dtype = s.dtype;
    c.flags.block_q = flag_of(s.block_q);
    c.flags.block_kv = flag_of(s.block_kv);
    c.flags.order = flag_of(s.order);
    cases.push_back(c);
  }
  return cases;
}

Mask example_block_mask(const Problem& p) {
  constexpr std::int64_t rows = 16, cols = 20;
  std::string text = "16 20\n";
  for (std::int64_t r = 0; r * rows < p.n_q; ++r) {
    for (std::int64_t c = 0; c * cols < p.n_kv; ++c) text += (r * 7 + c * 3) % 5 < 2 && r != 1 ? '1' : '0';
    text += '\n';
  }
  return Mask::blocks("blocks:example", std::make_shared<const BlockMap>(parse_block_map(text, "example")));
}

}  // namespace tilewalk
