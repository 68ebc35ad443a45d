#include "cli/verify_cases.h"

namespace tilewalk {
namespace {

struct Case {
  const char *n, *n_kv, *d, *batch, *heads, *kv_heads, *mask, *dtype, *block_q, *block_kv, *order;
};

// Ragged and uneven sizes, every kind of mask, rows that see nothing, GQA, odd head sizes, several tilings.
constexpr Case table[] = {
    {"1", "1", "64", "1", "1", "1", "none", "f16", nullptr, nullptr, nullptr},
    {"128", "128", "64", "1", "1", "1", "none", "f16", nullptr, nullptr, nullptr},
    {"128", "128", "64", "1", "1", "1", "causal", "bf16", nullptr, nullptr, nullptr},
    {"256", "256", "128", "1", "2", "2", "causal", "f16", nullptr, nullptr, nullptr},
    {"113", "203", "64", "1", "1", "1", "none", "f16", nullptr, nullptr, nullptr},
    {"113", "203", "64", "1", "1", "1", "causal", "f32", nullptr, nullptr, nullptr},
    {"239", "1", "40", "1", "1", "1", "causal", "bf16", nullptr, nullptr, nullptr},
    {"108", "256", "59", "1", "1", "1", "window:33", "f32", "32", "16", nullptr},
    {"200", "200", "111", "1", "1", "1", "causal+window:50", "f16", "48", "40", "descending"},
    {"127", "129", "256", "1", "1", "1", "causal", "bf16", nullptr, nullptr, nullptr},
    {"65", "300", "256", "1", "1", "1", "none", "f32", nullptr, nullptr, nullptr},
    {"100", "100", "32", "2", "6", "2", "causal", "f16", "16", "64", nullptr},
    {"80", "96", "80", "2", "6", "1", "window:7", "bf16", "7", "5", nullptr},
    {"60", "0", "64", "1", "1", "1", "none", "f16", nullptr, nullptr, nullptr},
    {"512", "512", "64", "1", "2", "2", "none", "bf16", nullptr, nullptr, nullptr},
    {"1024", "1024", "64", "1", "1", "1", "causal", "f16", nullptr, nullptr, nullptr},
    {"1000", "1000", "128", "1", "1", "1", "none", "f32", nullptr, nullptr, nullptr},
};

Flag flag_of(const char* text) { return text ? Flag(text) : Flag(); }

}  // namespace

std::vector<RunFlags> verify_cases() {
  std::vector<RunFlags> cases;
  for (const Case& c : table) {
    RunFlags f;
    f.n = c.n;
    f.n_kv = c.n_kv;
    f.d = c.d;
    f.batch = c.batch;
    f.heads = c.heads;
    f.kv_heads = c.kv_heads;
    f.mask = c.mask;
    f.dtype = c.dtype;
    f.block_q = flag_of(c.block_q);
    f.block_kv = flag_of(c.block_kv);
    f.order = flag_of(c.order);
    cases.push_back(f);
  }
  return cases;
}

}  // namespace tilewalk
