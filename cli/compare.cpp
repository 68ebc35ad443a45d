// tilewalk compare: algorithms side by side on the same inputs.
#include <memory>

#include "cli/algorithm_list.h"
#include "cli/command.h"
#include "cli/compare_report.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/figures.h"
#include "cli/options.h"
#include "cli/progress_line.h"
#include "lessons/heads.h"
#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

struct Flags {
  RunFlags run;
  Flag algorithms;
};

bool at_most(const Flag& flag, std::int64_t most) {
  return !flag || parse_number<std::int64_t>(*flag).value_or(INT64_MAX) <= most;
}

bool exactly(const Flag& flag, std::int64_t value) {
  return !flag || parse_number<std::int64_t>(*flag) == value;
}

// No flag says anything that the shipped head contradicts.
bool head_goes_with(const RunFlags& flags, const Head& head) {
  const bool other_inputs =
      flags.head || flags.q || flags.k || flags.v || flags.seed || flags.arch.value_or("") == "toy";
  return !other_inputs && at_most(flags.n, head.n) && at_most(flags.n_kv, head.n) &&
         exactly(flags.d, head.d) && exactly(flags.heads, 1) && exactly(flags.kv_heads, 1) &&
         exactly(flags.batch, 1);
}

ComparedRun perform(const Request& request, const Algorithm& algorithm) {
  try {
    auto plan = plan_for(request, algorithm);
    ProgressLine progress(std::string(algorithm.name));
    if (request.count_only) return {&algorithm, count(std::move(plan), progress.callback()), ""};
    const Inputs inputs = inputs_for(request, *plan);
    return {&algorithm, execute(std::move(plan), inputs, progress.callback()), ""};
  } catch (const RequestError& error) {
    return {&algorithm, std::nullopt, error.what()};
  }
}

int compare_command(Flags flags) {
  const auto chosen = parse_algorithms(flags.algorithms);
  const Head& default_head = head_named("induction");
  if (head_goes_with(flags.run, default_head)) flags.run.head = default_head.name;
  const Request request = resolve(flags.run);
  std::vector<ComparedRun> entries;
  for (const Algorithm* algorithm : chosen) entries.push_back(perform(request, *algorithm));
  const auto runs = runs_of(entries);
  if (runs.empty()) throw RequestError(entries.front().why);
  std::uint64_t footprint = 0;
  for (const Run* run : runs) footprint = std::max(footprint, run->hbm_footprint());
  note_footprint(footprint, runs.front()->plan->config.arch);
  print(flags.run.json ? json_text(compare_json(entries, request)) : compare_text(entries, request));
  int code = exit_done;
  for (const Run* run : runs) code = std::max(code, judge(*run));
  return code;
}

}  // namespace

Action add_compare(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  add_algorithms_flag(app, flags->algorithms);
  add_problem_flags(app, flags->run);
  add_machine_flags(app, flags->run);
  add_input_flags(app, flags->run);
  add_json_flag(app, flags->run.json);
  set_footer(
      app,
      "Example: tilewalk compare\n"
      "         tilewalk compare --algorithms flash1,flash2 --n 4096 --block-q 64 --block-kv 64\n"
      "Without inputs of your own, and where the sizes allow, it runs on --head induction, a real head.\n"
      "Every algorithm gets blocks that fit it, unless --block-q and --block-kv say which.\n" +
          convention_notes());
  return [flags] { return compare_command(*flags); };
}

}  // namespace tilewalk
