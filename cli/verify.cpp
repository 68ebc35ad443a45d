// tilewalk verify: the simulator against a GPU kernel, live or as recorded.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <memory>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/gpu_run.h"
#include "cli/kernel_check.h"
#include "cli/output_file.h"
#include "cli/recorded.h"
#include "cli/verify_cases.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

struct Flags {
  RunFlags run;
  Flag kernel, recorded, record;
};

bool names_a_problem(const RunFlags& f) {
  for (const Flag* flag : {&f.n, &f.n_kv, &f.d, &f.heads, &f.kv_heads, &f.batch, &f.dtype, &f.mask, &f.scale,
                           &f.q, &f.k, &f.v, &f.head, &f.block_q, &f.block_kv}) {
    if (*flag) return true;
  }
  return false;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16] = "";
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

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

std::vector<const gpu::KernelRow*> chosen_kernels(const Flags& flags) {
  std::vector<const gpu::KernelRow*> rows;
  if (flags.kernel && *flags.kernel != "all") return {&gpu::kernel_named(*flags.kernel)};
  for (const gpu::KernelRow& row : gpu::kernels()) rows.push_back(&row);
  return rows;
}

KernelCheck check_live(const gpu::KernelRow& kernel, const RunFlags& run_flags, const Flags& flags) {
  const KernelRequest request = kernel_request(kernel, run_flags);
  const Inputs inputs = inputs_for(request.request, *request.plan);
  const KernelResult result = run_traced(kernel, request, inputs);
  if (flags.record)
    write_file_atomically(
        *flags.record, format_recorded(*request.plan, result, facts_of(request.request, gpu::device_info())),
        "--record");
  return check_kernel(request.plan, inputs, result);
}

KernelCheck check_recorded(const std::filesystem::path& path, bool& stale) {
  Recorded recorded = read_recorded(path);
  const gpu::KernelRow& kernel = gpu::kernel_named(recorded.result.kernel);
  const KernelRequest request = kernel_request(kernel, recorded.flags);
  const TraceNames names = names_of(*request.plan), &found = recorded.result.trace.names;
  if (found.levels != names.levels || found.tensors != names.tensors || found.tiles != names.tiles)
    throw RequestError("--recorded: " + path.string() + ": its levels, tensors or tiles are not those of " +
                       std::string(kernel.algorithm));
  stale = stale || recorded.fact("kernel-sources") != fmt::format("{:016x}", gpu::kernel_source_hash());
  return check_kernel(request.plan, inputs_for(request.request, *request.plan), recorded.result);
}

std::vector<KernelCheck> all_checks(const Flags& flags) {
  std::vector<KernelCheck> checks;
  if (flags.recorded) {
    bool stale = false;
    for (const auto& path : recordings_in(*flags.recorded)) checks.push_back(check_recorded(path, stale));
    if (stale)
      note("some recordings were made from other kernel sources than these; gpu/record.sh makes them anew");
    return checks;
  }
  const auto kernels = chosen_kernels(flags);  // an unknown name is wrong with or without a device
  require_device();
  for (const gpu::KernelRow* kernel : kernels) {
    if (names_a_problem(flags.run)) {
      checks.push_back(check_live(*kernel, flags.run, flags));
      continue;
    }
    for (RunFlags run : verify_cases()) {
      run.fault = flags.run.fault;
      if (flags.run.seed) run.seed = flags.run.seed;
      checks.push_back(check_live(*kernel, run, flags));
    }
  }
  return checks;
}

int report(const std::vector<KernelCheck>& checks, const Flags& flags) {
  std::size_t bad = 0;
  Json runs = Json::array();
  for (const KernelCheck& check : checks) {
    bad += check.agrees() ? 0 : 1;
    runs.push_back(check.json);
  }
  if (flags.run.json) {
    print(json_text({{"schema", 1},
                     {"origin", flags.recorded ? "recorded" : "measured"},
                     {"agrees", bad == 0},
                     {"runs", runs}}));
  } else {
    print(check_table(checks).text(output_is_terminal()));
    print("m, l, O, S, output, L: worst difference / allowed\n");
    for (const KernelCheck& check : checks) {
      if (!check.agrees()) print(fmt::format("{} ({}): {}\n", check.kernel, check.problem, check.difference));
    }
    print(fmt::format("{} of {} runs agree\n", checks.size() - bad, checks.size()));
  }
  return bad == 0 ? exit_done : exit_disagrees;
}

int verify_command(const Flags& flags) {
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
