#include "viz/what_if.h"

#include <algorithm>

#include "lessons/heads.h"
#include "sim/error.h"
#include "sim/fault.h"
#include "sim/parse.h"

namespace tilewalk::viz {
namespace {

constexpr std::size_t most_runs = 3;
constexpr std::int64_t largest = std::int64_t{1} << 24;

using Words = std::vector<std::string>;

bool from_files(const RunRequest& r) { return r.given && r.head.empty(); }

Words powers(std::int64_t first, std::int64_t last) {
  Words words;
  for (std::int64_t n = first; n <= last; n *= 2) words.push_back(std::to_string(n));
  return words;
}

bool set_number(std::int64_t& number, std::string_view words, std::int64_t least) {
  const auto value = parse_number<std::int64_t>(words);
  if (!value || *value < least || *value > largest) return false;
  number = *value;
  return true;
}

// A head has so many rows, and inputs of files are as they are.
std::int64_t most_rows(const RunRequest& r) { return r.head.empty() ? 65536 : head_named(r.head).n; }

Words row_counts(const RunRequest& r) { return from_files(r) ? Words{} : powers(8, most_rows(r)); }

bool set_rows(RunRequest& r, std::int64_t& rows, std::string_view words) {
  std::int64_t wanted = 0;
  if (from_files(r) || !set_number(wanted, words, 1) || (!r.head.empty() && wanted > most_rows(r)))
    return false;
  rows = wanted;
  if (!r.head.empty()) take_rows_of_head(r);
  return true;
}

bool set_n(RunRequest& r, std::string_view words) {
  const bool square = r.problem.n_kv == r.problem.n_q;
  if (!set_rows(r, r.problem.n_q, words)) return false;
  return !square || set_rows(r, r.problem.n_kv, words);
}

Words sizes_of_heads(const RunRequest& r) { return r.given ? Words{} : powers(4, 256); }

bool set_d(RunRequest& r, std::string_view words) {
  const bool usual = r.problem.scale == default_scale(r.problem.d);
  if (r.given || !set_number(r.problem.d, words, 1)) return false;
  if (usual) r.problem.scale = default_scale(r.problem.d);
  return true;
}

std::string block_words(std::int64_t block) { return block == 0 ? "fit" : std::to_string(block); }

Words block_choices(const RunRequest&) {
  Words words = powers(1, 1024);
  words.insert(words.begin(), "fit");
  return words;
}

bool set_block(std::int64_t& block, std::string_view words) {
  if (words != "fit") return set_number(block, words, 1);
  block = 0;
  return true;
}

bool set_dtype(RunRequest& r, std::string_view words) {
  const auto type = dtype_named(words);
  if (type) r.problem.dtype = *type;
  return type.has_value();
}

Words masks(const RunRequest& r) {
  const std::int64_t width = std::max<std::int64_t>(1, r.problem.n_q / 8);
  Words words{"none", "causal", fmt::format("window:{}", width), fmt::format("causal+window:{}", width)};
  if (std::find(words.begin(), words.end(), r.problem.mask.spec()) == words.end())
    words.push_back(r.problem.mask.spec());
  return words;
}

bool set_mask(RunRequest& r, std::string_view words) {
  if (words == r.problem.mask.spec()) return true;
  try {
    r.problem.mask = parse_mask(words);
  } catch (const RequestError&) {
    return false;
  }
  return true;
}

std::string arch_words(const RunRequest& r) { return r.arch.name; }

Words arch_choices(const RunRequest&) {
  const auto names = arch_names();
  return {names.begin(), names.end()};
}

bool set_arch(RunRequest& r, std::string_view words) {
  const auto names = arch_names();
  if (std::find(names.begin(), names.end(), words) == names.end()) return false;
  r.arch = arch_named(words);
  r.arch_file.clear();
  return true;
}

Level& sram_of(Arch& arch) { return arch.levels[static_cast<std::size_t>(arch.level("sram"))]; }

bool set_sram(RunRequest& r, std::string_view words) {
  std::int64_t bytes = 0;
  if (!set_number(bytes, words, 1)) return false;
  sram_of(r.arch).capacity = static_cast<std::uint64_t>(bytes);
  r.arch.sram_in_elements = false;
  return true;
}

std::string sram_words(const RunRequest& r) {
  const Arch arch = r.arch.in_bytes(r.problem.dtype);
  return std::to_string(arch.levels[static_cast<std::size_t>(arch.level("sram"))].capacity);
}

// Halves and doubles of what the machine has, and powers of two.
Words sram_choices(const RunRequest& r) {
  Words words = powers(64, 256 << 10);
  const std::string now = sram_words(r);
  const auto number = [](const std::string& w) { return parse_number<std::int64_t>(w).value_or(0); };
  if (std::find(words.begin(), words.end(), now) == words.end()) words.push_back(now);
  std::sort(words.begin(), words.end(), [&](const auto& a, const auto& b) { return number(a) < number(b); });
  return words;
}

std::string input_words(const RunRequest& r) {
  return !r.head.empty() ? r.head : r.given ? "files" : "random";
}

Words input_choices(const RunRequest& r) {
  Words words{"random"};
  for (const auto name : head_names()) words.emplace_back(name);
  if (from_files(r)) words.emplace_back("files");
  return words;
}

bool set_input(RunRequest& r, std::string_view words) {
  if (words == input_words(r)) return true;
  const auto names = head_names();
  if (words == "random") {
    r.given = nullptr;
    r.head.clear();
    r.files = {};
    r.problem.scale = default_scale(r.problem.d);
    return true;
  }
  if (std::find(names.begin(), names.end(), words) == names.end()) return false;
  take_head(r, words);
  return true;
}

Words seeds(const RunRequest& r) {
  Words words;
  for (int n = 0; !r.given && n < 10; ++n) words.push_back(std::to_string(n));
  return words;
}

bool set_seed(RunRequest& r, std::string_view words) {
  const auto seed = parse_number<std::uint64_t>(words);
  if (!seed || r.given) return false;
  r.seed = *seed;
  return true;
}

Words fault_choices(const RunRequest& r) {
  Words words{"none"};
  for (const auto name : algorithm_named(r.algorithm).faults) words.emplace_back(name);
  return words;
}

bool set_fault(RunRequest& r, std::string_view words) {
  const auto known = fault_choices(r);
  if (std::find(known.begin(), known.end(), words) == known.end()) return false;
  r.fault = words == "none" ? nullptr : &fault_named(words);
  return true;
}

Words algorithm_choices(const RunRequest&) {
  const auto names = algorithm_names();
  return {names.begin(), names.end()};
}

// A fault that the algorithm does not have is left behind.
bool set_algorithm(RunRequest& r, std::string_view words) {
  const auto names = algorithm_names();
  if (std::find(names.begin(), names.end(), words) == names.end()) return false;
  r.algorithm = words;
  const auto known = algorithm_named(words).faults;
  if (r.fault && std::find(known.begin(), known.end(), r.fault->name) == known.end()) r.fault = nullptr;
  return true;
}

constexpr WhatIfField table[] = {
    {Str::field_algorithm, Str::hint_algorithm, [](const RunRequest& r) { return r.algorithm; },
     algorithm_choices, set_algorithm},
    {Str::field_n, Str::hint_n, [](const RunRequest& r) { return std::to_string(r.problem.n_q); }, row_counts,
     set_n, true},
    {Str::field_n_kv, Str::hint_n_kv, [](const RunRequest& r) { return std::to_string(r.problem.n_kv); },
     row_counts, [](RunRequest& r, std::string_view w) { return set_rows(r, r.problem.n_kv, w); }, true},
    {Str::field_d, Str::hint_d, [](const RunRequest& r) { return std::to_string(r.problem.d); },
     sizes_of_heads, set_d, true},
    {Str::field_block_q, Str::hint_block_q, [](const RunRequest& r) { return block_words(r.tiling.block_q); },
     block_choices, [](RunRequest& r, std::string_view w) { return set_block(r.tiling.block_q, w); }, true},
    {Str::field_block_kv, Str::hint_block_kv,
     [](const RunRequest& r) { return block_words(r.tiling.block_kv); }, block_choices,
     [](RunRequest& r, std::string_view w) { return set_block(r.tiling.block_kv, w); }, true},
    {Str::field_dtype, Str::hint_dtype,
     [](const RunRequest& r) { return std::string(name_of(r.problem.dtype)); },
     [](const RunRequest&) {
       return Words{"f16", "bf16", "f32"};
     },
     set_dtype},
    {Str::field_mask, Str::hint_mask, [](const RunRequest& r) { return r.problem.mask.spec(); }, masks,
     set_mask, true},
    {Str::field_arch, Str::hint_arch, arch_words, arch_choices, set_arch},
    {Str::field_sram, Str::hint_sram, sram_words, sram_choices, set_sram, true},
    {Str::field_inputs, Str::hint_inputs, input_words, input_choices, set_input},
    {Str::field_seed, Str::hint_seed,
     [](const RunRequest& r) { return r.given ? std::string("–") : std::to_string(r.seed); }, seeds, set_seed,
     true},
    {Str::field_fault, Str::hint_fault,
     [](const RunRequest& r) { return r.fault ? std::string(r.fault->name) : std::string("none"); },
     fault_choices, set_fault},
};

}  // namespace

std::span<const WhatIfField> what_if_fields() { return table; }

std::vector<RunRequest> with_value(std::span<const RunRequest> requests, const WhatIfField& field,
                                   std::string_view words) {
  std::vector<RunRequest> changed(requests.begin(), requests.end());
  for (RunRequest& r : changed) {
    if (!field.set(r, words)) return {};
    if (field.set == set_algorithm) break;  // of the first run alone
  }
  for (std::size_t n = 1; n < changed.size(); ++n) {
    if (changed[n].algorithm == changed.front().algorithm)
      changed.erase(changed.begin() + std::ptrdiff_t(n--));
  }
  return changed;
}

std::vector<RunRequest> with_next(std::span<const RunRequest> requests, const WhatIfField& field,
                                  int direction) {
  if (requests.empty()) return {};
  const std::string now = field.value(requests.front());
  const Words choices = field.choices(requests.front());
  const auto found = std::find(choices.begin(), choices.end(), now);
  std::ptrdiff_t at = found - choices.begin();
  if (found == choices.end()) {
    // A number between two choices.
    const auto value = parse_number<std::int64_t>(now).value_or(0);
    at = std::count_if(choices.begin(), choices.end(),
                       [&](const auto& w) { return parse_number<std::int64_t>(w).value_or(0) < value; });
    if (direction > 0) --at;
  }
  at += direction;
  if (at < 0 || at >= std::ptrdiff_t(choices.size())) return {};
  return with_value(requests, field, choices[static_cast<std::size_t>(at)]);
}

std::vector<RunRequest> with_algorithm(std::span<const RunRequest> requests, std::string_view name) {
  std::vector<RunRequest> changed(requests.begin(), requests.end());
  const auto same = [&](const RunRequest& r) { return r.algorithm == name; };
  if (const auto at = std::find_if(changed.begin(), changed.end(), same); at != changed.end()) {
    if (changed.size() > 1) changed.erase(at);
    return changed;
  }
  RunRequest added = changed.front();
  if (!set_algorithm(added, name)) return {};
  if (changed.size() == most_runs) changed.pop_back();
  changed.push_back(std::move(added));
  return changed;
}

void take_head(RunRequest& r, std::string_view name) {
  const Head& head = head_named(name);
  Problem& p = r.problem;
  r.head = head.name;
  r.files = {};
  p.batch = p.heads = p.kv_heads = 1;
  p.n_q = std::min(p.n_q, head.n);
  p.n_kv = std::min(p.n_kv, head.n);
  p.d = head.d;
  p.scale = head.scale;
  p.mask = parse_mask(head.mask);
  take_rows_of_head(r);
}

}  // namespace tilewalk::viz
