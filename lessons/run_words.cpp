#include "lessons/run_words.h"

#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

struct FlagName {
  std::string_view name;
  Flag RunFlags::*flag;
};
constexpr FlagName names[] = {
    {"n", &RunFlags::n},           {"n-kv", &RunFlags::n_kv},         {"d", &RunFlags::d},
    {"heads", &RunFlags::heads},   {"kv-heads", &RunFlags::kv_heads}, {"batch", &RunFlags::batch},
    {"dtype", &RunFlags::dtype},   {"mask", &RunFlags::mask},         {"scale", &RunFlags::scale},
    {"tiling", &RunFlags::tiling}, {"block-q", &RunFlags::block_q},   {"block-kv", &RunFlags::block_kv},
    {"order", &RunFlags::order},   {"arch", &RunFlags::arch},         {"sram", &RunFlags::sram},
    {"seed", &RunFlags::seed},     {"head", &RunFlags::head},         {"fault", &RunFlags::fault}};

[[noreturn]] void refuse_flag(std::string_view name) {
  std::vector<std::string_view> known;
  for (const FlagName& row : names) known.push_back(row.name);
  known.push_back("count-only");
  throw RequestError(unknown_name("flag", name, known));
}

}  // namespace

Flag* flag_named(RunFlags& flags, std::string_view name) {
  for (const FlagName& row : names) {
    if (row.name == name) return &(flags.*row.flag);
  }
  return nullptr;
}

RunWords parse_run_words(std::string_view words) {
  RunWords run;
  run.algorithm = take_word(words);
  if (run.algorithm.empty() || run.algorithm.starts_with("-"))
    throw RequestError("names no algorithm; say e.g. flash2 --n 64 --block-q 16 --block-kv 16");
  for (auto word = take_word(words); !word.empty(); word = take_word(words)) {
    if (!word.starts_with("--"))
      throw RequestError("does not understand '" + shown(word) + "'; flags begin with --");
    word.remove_prefix(2);
    if (word == "count-only") {
      run.flags.count_only = true;
      continue;
    }
    Flag* flag = flag_named(run.flags, word);
    if (!flag) refuse_flag(word);
    const std::string_view value = take_word(words);
    if (value.empty() || value.starts_with("--"))
      throw RequestError("--" + std::string(word) + ": its value is missing");
    *flag = std::string(value);
  }
  return run;
}

RunFlags flags_of(const std::vector<std::pair<std::string, std::string>>& header) {
  RunFlags flags;
  for (const auto& [key, value] : header) {
    Flag* flag = flag_named(flags, key);
    if (flag && key != "fault") *flag = value;
  }
  if (flags.head) flags.d = flags.batch = flags.heads = flags.kv_heads = flags.seed = Flag();
  return flags;
}

}  // namespace tilewalk
