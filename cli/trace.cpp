// tilewalk trace: a run as text, with the values of m, l, O after each tile, or for Perfetto.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/perfetto.h"
#include "cli/progress_line.h"
#include "cli/run_json.h"
#include "cli/table.h"
#include "sim/error.h"
#include "sim/run.h"
#include "sim/trace.h"

namespace tilewalk {
namespace {

// A trace beyond these is a file of gigabytes that no viewer opens.
constexpr std::uint64_t most_text_events = 5'000'000, most_perfetto_events = 1'000'000;
constexpr double most_tile_bytes = 1e9;  // in memory; two to three times that as text

struct Flags {
  RunFlags run;
  Flag algorithm, out, perfetto;
};

// What was written.
struct Written {
  std::uint64_t events = 0, records = 0;
};

void refuse_too_many(const char* flag, std::uint64_t events, std::uint64_t most, const Plan& plan) {
  if (events <= most) return;
  throw RequestError(fmt::format(
      "{}: the run of n {} has {} events, the most in such a file is {}; choose a smaller --n, --heads or "
      "--batch, or larger blocks",
      flag, plan.problem().n_q, events, most));
}

// What the tiles after each step of the score matrix take, if the mask skips none.
double tile_bytes(const Plan& plan) {
  double bytes = 0;
  for (const Kernel& kernel : plan.kernels) {
    double of_one = 0;
    for (const Tile& tile : kernel.tiles)
      of_one += tile.watched ? double(tile.most_rows) * double(tile.most_cols) * 4 : 0;
    bytes += of_one * double(kernel.q_blocks) * double(kernel.kv_blocks) * double(plan.problem().instances());
  }
  return bytes;
}

void refuse_too_large(const Plan& plan) {
  const double bytes = tile_bytes(plan);
  if (bytes <= most_tile_bytes) return;
  throw RequestError(
      fmt::format("--out: the tiles of n {} would take {} in memory, the most is {}; add --count-only to "
                  "leave values out, or "
                  "choose a smaller --n",
                  plan.problem().n_q, human_bytes(static_cast<std::uint64_t>(bytes)),
                  human_bytes(static_cast<std::uint64_t>(most_tile_bytes))));
}

// How the inputs can be made again; a trace of counts alone has none.
void add_inputs(Trace& trace, const Request& request) {
  if (request.count_only) return;
  if (!request.head.empty()) {
    trace.header.emplace_back("head", request.head);
  } else if (request.given) {
    trace.header.emplace_back("inputs", "files");
  } else {
    trace.header.emplace_back("seed", std::to_string(request.seed));
  }
}

Written write_text(OutputFile& file, const std::shared_ptr<const Plan>& plan, const Request& request) {
  ProgressLine progress("tracing");
  std::optional<Inputs> inputs;
  if (!request.count_only) inputs = inputs_for(request, *plan);
  Trace trace = record(plan, inputs ? &*inputs : nullptr, most_text_events, progress.callback());
  add_inputs(trace, request);
  file.write(format_trace_head(trace));
  for (const Event& event : trace.events) {
    throw_if_interrupted();
    file.write(format_event(event, trace.names));
  }
  for (const TileRecord& record : trace.records) {
    throw_if_interrupted();
    file.write(format_record(record, trace.names));
  }
  file.commit();
  return {trace.events.size(), trace.records.size()};
}

void write_for_perfetto(OutputFile& file, const Plan& plan) {
  ProgressLine progress("tracing for Perfetto");
  write_perfetto(
      plan, [&](std::string_view text) { file.write(text); }, progress.callback());
  file.commit();
}

Json trace_json(const Plan& plan, const Flags& flags, const Written& written) {
  return {{"schema", 1},
          {"algorithm", plan.algorithm().name},
          {"problem", problem_json(plan.problem())},
          {"tiling", tiling_json(plan.config.tiling)},
          {"arch", plan.config.arch.name},
          {"events", written.events},
          {"records", written.records},
          {"out", flags.out ? Json(*flags.out) : Json()},
          {"perfetto", flags.perfetto ? Json(*flags.perfetto) : Json()},
          {"time", "modelled"},
          {"origin", "model"}};
}

int trace_command(const Flags& flags) {
  const Algorithm& algorithm = algorithm_named(required(
      flags.algorithm, "trace: the algorithm", "name one, e.g. 'tilewalk trace flash2 --out f.trace'"));
  if (!flags.out && !flags.perfetto)
    throw RequestError("trace: a file is missing; add --out F.trace (text) or --perfetto F.json");
  const Request request = resolve(flags.run);
  const auto plan = plan_for(request, algorithm);
  if (flags.out && flags.perfetto) refuse_same_file(*flags.out, "--out", *flags.perfetto, "--perfetto");
  std::unique_ptr<OutputFile> out, perfetto;
  if (flags.out) out = std::make_unique<OutputFile>(*flags.out, "--out");
  if (flags.perfetto) perfetto = std::make_unique<OutputFile>(*flags.perfetto, "--perfetto");
  Written written{count(plan, ProgressLine("counting").callback()).total.events, 0};
  if (out) refuse_too_many("--out", written.events, most_text_events, *plan);
  if (out && !request.count_only) refuse_too_large(*plan);
  if (perfetto) refuse_too_many("--perfetto", written.events, most_perfetto_events, *plan);
  if (out) written = write_text(*out, plan, request);
  if (perfetto) write_for_perfetto(*perfetto, *plan);
  if (flags.run.json) {
    print(json_text(trace_json(*plan, flags, written)));
  } else {
    complain(fmt::format("wrote {} events{}", grouped(written.events),
                         out ? " and " + grouped(written.records) + " tile states" : ""));
  }
  return exit_done;
}

}  // namespace

Action add_trace(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  add_flag(app, "Algorithm", {"ALGORITHM", "", "see 'tilewalk list algorithms'"}, flags->algorithm);
  add_problem_flags(app, flags->run);
  add_machine_flags(app, flags->run);
  add_input_flags(app, flags->run);
  add_flag(app, "Output",
           {"--out", "F.trace", "text: every event, and the tiles after each step of the score matrix"},
           flags->out);
  add_flag(app, "Output",
           {"--perfetto", "F.json", "for https://ui.perfetto.dev: what each SM does, in modelled time"},
           flags->perfetto);
  add_json_flag(app, flags->run.json);
  set_footer(app,
             "Example: tilewalk trace flash2 --n 256 --out flash2.trace\n"
             "         tilewalk trace flash1 --n 2048 --heads 8 --perfetto flash1.json\n"
             "Perfetto's time is modelled from bytes and FLOPs, not measured; the file says so too.\n" +
                 convention_notes());
  return [flags] { return trace_command(*flags); };
}

}  // namespace tilewalk
