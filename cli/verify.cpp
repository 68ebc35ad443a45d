// tilewalk verify: the simulator against a GPU kernel, live or as recorded.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/csv.h"
#include "cli/exit_code.h"
#include "cli/figures.h"
#include "cli/gpu_actions.h"
#include "cli/gpu_run.h"
#include "cli/kernel_check.h"
#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "cli/recorded.h"
#include "cli/verify_cases.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

struct Flags {
  RunFlags run;
  Flag kernel, recorded, record;
};

RecordingFacts facts_of(const Request& request, const gpu::DeviceInfo& device) {
  std::string name = device.name;
  for (char& c : name) c = c == ' ' ? '_' : c;  // a header's values are single words
  RecordingFacts facts{{"device", name},
                       {"driver", device.driver},
                       {"toolkit", device.toolkit},
                       {"date", today()},
                       {"kernel-sources", fmt::format("{:016x}", gpu::kernel_source_hash())}};
  if (request.head.empty()) {
    facts.emplace_back("seed", std::to_string(request.seed));
  } else {
    facts.emplace_back("head", request.head);
  }
  return facts;
}

std::vector<const gpu::KernelRow*> traceable_kernels(const Flag& flag) {
  std::vector<const gpu::KernelRow*> rows = chosen_kernels(flag);
  if (rows.size() == 1 && !rows[0]->traceable)
    throw RequestError("--kernel " + *flag + ": a closed library cannot be traced; 'tilewalk gpu run " +
                       *flag + "' checks its output");
  std::erase_if(rows, [](const gpu::KernelRow* row) { return !row->traceable; });
  return rows;
}

// From so many rows on, a fused kernel's bytes into the SMs are held against the model's: below, the kernel's
// own parameters and code show.
constexpr std::int64_t counted_n = 1024;

void check_counters(const gpu::KernelRow& kernel, const KernelRequest& request, KernelCheck& check) {
  const Problem& p = request.request.problem;
  if (kernel.algorithm == "standard" || !request.fault.empty() || p.n_q < counted_n || p.n_kv < counted_n)
    return;
  const gpu::CounterRun counters = gpu::count_kernel(kernel, *request.plan);
  if (counters.end == gpu::RunEnd::failed) throw DeviceFailed(counters.error);
  if (counters.end != gpu::RunEnd::done) {
    static bool said = false;
    if (!said) note(counters.error + "; bytes into the SMs are not checked");
    said = true;
    return;
  }
  if (std::isnan(counters.cold.into_sms)) return;
  add_counters(check, {count(request.plan).bytes("hbm", false), counters.cold.into_sms});
}

KernelCheck check_live(const gpu::KernelRow& kernel, const KernelRequest& request, const Flag& record_file) {
  const Inputs inputs = inputs_for(request.request, *request.plan);
  const KernelResult result = run_traced(kernel, request, inputs);
  if (record_file)
    write_file_atomically(
        *record_file, format_recorded(*request.plan, result, facts_of(request.request, gpu::device_info())),
        "--record");
  KernelCheck check = check_kernel(request.plan, inputs, result);
  check_counters(kernel, request, check);
  return check;
}

// A check, or why the kernel does not take the problem. Only that may refuse: a run that fails ends it all.
KernelCheck check_or_refusal(const gpu::KernelRow& kernel, const Request& request, const std::string& fault) {
  std::optional<KernelRequest> taken;
  KernelCheck check;
  try {
    taken = kernel_request(kernel, request, fault);
  } catch (const RequestError& error) {
    check.kernel = kernel.name;
    check.problem = problem_text(request.problem);
    check.refusal = error.what();
    check.json = {
        {"kernel", check.kernel}, {"problem", problem_json(request.problem)}, {"refused", check.refusal}};
    return check;
  }
  return check_live(kernel, *taken, Flag());
}

// One of the table's problems, or why the kernel does not take it. A kernel that is built for one tiling has
// that one.
KernelCheck check_case(const gpu::KernelRow& kernel, const VerifyCase& verify_case, const RunFlags& given) {
  RunFlags flags = verify_case.flags;
  if (given.seed) flags.seed = given.seed;
  if (gpu::has_fixed_tiling(kernel)) {
    for (Flag* tiling : {&flags.block_q, &flags.block_kv, &flags.order}) tiling->reset();
  }
  Request request = resolve(flags);
  if (verify_case.block_map) request.problem.mask = example_block_mask(request.problem);
  KernelCheck check = check_or_refusal(kernel, request, given.fault.value_or(""));
  check.group = verify_case.group;
  return check;
}

// Everything that the file says of its size must fit before anything is computed.
void check_fits(const Recorded& recorded, const Plan& plan, const gpu::KernelRow& kernel) {
  if (recorded.fact("algorithm") != kernel.algorithm)
    throw RequestError("its algorithm is '" + recorded.fact("algorithm") + "', that of " +
                       std::string(kernel.name) + " is " + std::string(kernel.algorithm));
  const TraceNames names = names_of(plan), &found = recorded.result.trace.names;
  if (found.levels != names.levels || found.tensors != names.tensors || found.tiles != names.tiles)
    throw RequestError("its levels, tensors or tiles are not those of " + std::string(kernel.algorithm));
  const Problem& p = plan.problem();
  const auto rows = static_cast<std::size_t>(p.instances() * p.n_q);
  if (recorded.result.o.size() != 3 * rows)
    throw RequestError(fmt::format("it holds {} numbers of output, its header's sizes need {}",
                                   recorded.result.o.size(), 3 * rows));
}

KernelCheck check_recorded(const std::filesystem::path& path, bool& stale) {
  Recorded recorded = read_recorded(path);
  const gpu::KernelRow& kernel = gpu::kernel_named(recorded.result.kernel);
  const KernelRequest request = kernel_request(kernel, recorded.flags);
  check_fits(recorded, *request.plan, kernel);
  stale = stale || recorded.fact("kernel-sources") != fmt::format("{:016x}", gpu::kernel_source_hash());
  KernelCheck check = check_kernel(request.plan, inputs_for(request.request, *request.plan), recorded.result);
  check.source = path.filename().string();
  check.json["file"] = check.source;
  return check;
}

std::vector<KernelCheck> recorded_checks(const std::string& folder) {
  std::vector<KernelCheck> checks;
  bool stale = false;
  for (const auto& path : recordings_in(folder)) {
    try {
      checks.push_back(check_recorded(path, stale));
    } catch (const RequestError& error) {
      const std::string why = error.what(), name = path.string();
      throw RequestError(why.find(name) == std::string::npos ? "--recorded: " + name + ": " + why : why);
    }
  }
  if (stale)
    note("some recordings were made from other kernel sources than these; gpu/record.sh makes them anew");
  return checks;
}

std::vector<KernelCheck> all_checks(const Flags& flags) {
  if (flags.recorded) return recorded_checks(*flags.recorded);
  std::vector<KernelCheck> checks;
  const auto kernels = traceable_kernels(flags.kernel);  // what is wrong is so with or without a device
  std::optional<Request> named;
  RunFlags sound = flags.run;
  sound.fault.reset();
  if (names_a_problem(flags.run)) named = resolve(sound);
  const std::string fault = flags.run.fault.value_or("");
  if (named && kernels.size() == 1) {
    const KernelRequest request = kernel_request(*kernels[0], *named, fault);
    require_device();
    return {check_live(*kernels[0], request, flags.record)};
  }
  require_device();
  for (const gpu::KernelRow* kernel : kernels) {
    if (named) {
      checks.push_back(check_or_refusal(*kernel, *named, fault));
      continue;
    }
    ProgressLine line{std::string(kernel->name)};
    const Progress progress = line.callback();
    const auto cases = verify_cases();
    for (std::size_t n = 0; n < cases.size(); ++n) {
      progress(double(n) / double(cases.size()));
      checks.push_back(check_case(*kernel, cases[n], flags.run));
    }
  }
  return checks;
}

int report(const std::vector<KernelCheck>& checks, const Flags& flags) {
  if (std::all_of(checks.begin(), checks.end(), [](const KernelCheck& c) { return !c.refusal.empty(); }))
    throw RequestError(checks.front().refusal);
  std::size_t bad = 0, refused = 0;
  Json runs = Json::array();
  for (const KernelCheck& check : checks) {
    bad += check.agrees() ? 0 : 1;
    refused += check.refusal.empty() ? 0 : 1;
    runs.push_back(check.json);
  }
  if (flags.run.json) {
    print(json_text({{"schema", 1},
                     {"origin", flags.recorded ? "recorded" : "measured"},
                     {"agrees", bad == 0},
                     {"runs", runs}}));
    return bad == 0 ? exit_done : exit_disagrees;
  }
  print(check_table(checks).text(output_is_terminal()));
  print("m, l, O, S, output, L: worst difference / allowed; into SMs: counter against model\n");
  std::set<std::string> reasons;
  for (const KernelCheck& check : checks) {
    if (!check.agrees())
      print(fmt::format("{}{}{} ({}): {}\n", check.source.empty() ? "" : check.source + ": ", check.kernel,
                        check.fault.empty() ? "" : ", " + check.fault, check.problem, check.difference));
    if (!check.refusal.empty()) reasons.insert(check.refusal);
  }
  for (const std::string& reason : reasons) print("refused: " + reason + "\n");
  print(fmt::format("{} of {} runs agree\n", checks.size() - refused - bad, checks.size() - refused));
  return bad == 0 ? exit_done : exit_disagrees;
}

int verify_command(const Flags& flags) {
  if (flags.recorded && (flags.kernel || flags.run.fault || names_a_problem(flags.run)))
    throw RequestError("--recorded " + *flags.recorded +
                       ": the files say kernel and problem; leave --kernel and the " + "problem's flags out");
  if (flags.record && (flags.run.q || flags.run.sram || flags.run.mask.value_or("").starts_with("blocks:") ||
                       flags.run.arch.value_or("").ends_with(".toml")))
    throw RequestError(
        "--record " + *flags.record +
        ": cannot hold inputs, masks or machines from files, nor --sram; use --seed or --head, a "
        "mask in words and a named --arch");
  if (flags.record && (!flags.kernel || *flags.kernel == "all" || !names_a_problem(flags.run)))
    throw RequestError("--record " + *flags.record +
                       ": holds one run: name a --kernel, and a problem, e.g. --n 128");
  if (flags.record && flags.recorded)
    throw RequestError("--record " + *flags.record +
                       ": cannot be combined with --recorded; leave one of them out");
  return report(all_checks(flags), flags);
}

}  // namespace

Action add_verify(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  add_flag(app, "What", {"--kernel", "K", "see 'tilewalk list kernels' [all]"}, flags->kernel);
  add_flag(app, "What", {"--recorded", "DIR", "check recorded runs instead: needs no GPU"}, flags->recorded);
  add_flag(app, "What", {"--record", "FILE", "write the run as a recording"}, flags->record);
  add_problem_flags(app, flags->run);
  add_machine_flags(app, flags->run);
  add_input_flags(app, flags->run);
  add_json_flag(app, flags->run.json);
  set_footer(app,
             "Example: tilewalk verify --kernel flash2_scalar --n 1000 --mask causal\n"
             "         tilewalk verify --recorded gpu/recorded\n"
             "Without a problem, a table of problems is checked. --fault runs a broken kernel against the "
             "sound model.\n"
             "Exit codes: 0 all agree, 1 a run differs, 2 wrong request, 3 no GPU.");
  return [flags] { return verify_command(*flags); };
}

}  // namespace tilewalk
