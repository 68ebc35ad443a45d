#include "lessons/shelf.h"

#include "lessons/data_files.h"
#include "lessons/run_words.h"
#include "sim/anchor.h"
#include "sim/error.h"
#include "sim/fault.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

// Lessons are to open at once, on any laptop.
constexpr std::uint64_t most_memory = std::uint64_t{256} << 20;
constexpr double most_flops = 2e9;
constexpr std::uint64_t most_events = 2'000'000;

std::string_view data_file(std::string_view ending) {
  for (const auto& [path, bytes] : lesson_data::files()) {
    if (path == ending || path.ends_with("/" + std::string(ending))) return bytes;
  }
  return "";
}

// Block masks that ship with the lessons, by their path in the repository.
std::string mask_text(const std::string& path, const std::string& shown) {
  const std::string_view text = path.starts_with("lessons/data/") ? data_file(path) : "";
  if (text.empty())
    throw RequestError(shown + ": lessons take masks of lessons/data alone; put the file there");
  return std::string(text);
}

void check_size(const Request& request, const Plan& plan) {
  const Problem& p = plan.problem();
  const double flops = 4.0 * double(p.instances()) * double(p.n_q) * double(p.n_kv) * double(p.d);
  if (request.count_only || (flops <= most_flops && memory_needed(plan) <= most_memory)) return;
  throw RequestError("is too large for a lesson with values; add --count-only or choose a smaller --n");
}

double events_estimate(const Plan& plan) {
  double tiles = 0;
  for (const Kernel& kernel : plan.kernels) tiles += double(kernel.q_blocks) * double(kernel.kv_blocks);
  return tiles;
}

}  // namespace

OpenRun::OpenRun(const std::string& words) {
  std::string_view rest = words;
  RunFlags flags;
  std::string algorithm;
  if (take_word(rest) == "recorded") {
    open_recording(std::string(take_word(rest)), flags);
    algorithm = recording_->fact("algorithm");
  } else {
    RunWords run = parse_run_words(words);
    algorithm = run.algorithm;
    flags = run.flags;
  }
  algorithm_ = &algorithm_named(algorithm);
  RunSources sources;
  sources.mask_file = mask_text;
  request_ = resolve(flags, sources);
  plan_ = plan_for(request_, *algorithm_);
  check_size(request_, *plan_);
  if (events_estimate(*plan_) > double(most_events))
    throw RequestError("has too many tiles for a lesson; choose larger blocks or a smaller --n");
  if (!request_.count_only) inputs_ = std::make_unique<const Inputs>(make_inputs(request_));
  counts_ = count(plan_);
}

void OpenRun::open_recording(const std::string& name, RunFlags& flags) {
  const std::string_view text = name.empty() ? "" : data_file(name + ".run");
  if (text.empty())
    throw RequestError("recorded '" + shown(name) +
                       "': the lessons ship no such recording; see 'recordings' in lessons/CMakeLists.txt");
  recording_ = parse_recording(text, name);
  recording_name_ = name;
  flags = flags_of(recording_->trace.header);
}

const Inputs& OpenRun::inputs() const {
  if (!inputs_) throw RequestError("the run is counted without values; leave out --count-only");
  return *inputs_;
}

const Run& OpenRun::executed() {
  if (!executed_) executed_ = execute(plan_, inputs());
  return *executed_;
}

const RowTruth& OpenRun::truth(std::int64_t row) {
  const auto found = truths_.find(row);
  if (found != truths_.end()) return found->second;
  return truths_[row] = row_truth(plan_->problem(), inputs(), algorithm_->softmax, row);
}

const TraceDiff& OpenRun::difference() {
  if (difference_) return *difference_;
  if (!recording_ && !plan_->config.fault)
    throw RequestError("'diff' is that of a run with --fault, or of a recorded one, from the sound run");
  RunConfig sound = plan_->config;
  sound.fault = nullptr;
  const Trace expected = record(make_plan(sound), &inputs());
  difference_ = recording_ ? compare(*plan_, inputs(), expected, recording_->trace, Flow::moves)
                           : compare(*plan_, inputs(), expected, record(plan_, &inputs()));
  return *difference_;
}

Timeline& OpenRun::timeline() {
  if (!timeline_) timeline_.emplace(plan_, inputs_.get());
  return *timeline_;
}

std::uint64_t OpenRun::position(const std::string& words) {
  const auto found = positions_.find(words);
  if (found != positions_.end()) return found->second;
  return positions_[words] = find_anchor(timeline(), words);
}

OpenRun& Shelf::open(const std::string& words) {
  std::unique_ptr<OpenRun>& run = runs_[words];
  if (!run) run = std::make_unique<OpenRun>(words);
  return *run;
}

}  // namespace tilewalk
