// The part of the App that is not about moving: the what-if panel, files, a GPU beside the model.
#include <algorithm>

#include "sim/anchor.h"
#include "sim/error.h"
#include "viz/app.h"
#include "viz/command_line.h"
#include "viz/what_if.h"

namespace tilewalk::viz {

void App::keep_runs() {
  if (shown_.empty()) return;
  opening_.clear();
  asked_.clear();
  for (const WorkerStatus& status : shown_) asked_.push_back(status.facts->request);
  refused_.clear();
  notice_.clear();
}

void App::move_field(int direction) {
  const auto count = static_cast<int>(what_if_fields().size());
  selection_.field = static_cast<std::size_t>((int(selection_.field) + direction + count) % count);
  raise(ViewId::what_if);
}

void App::change_field(int direction) {
  auto changed = with_next(asked_, what_if_fields()[selection_.field], direction);
  if (!changed.empty()) open({std::move(changed)});
}

bool App::shows_own_files() const {
  return book_.is_own() || std::any_of(asked_.begin(), asked_.end(), [](const RunRequest& r) {
           return !r.files[0].empty() || !r.arch_file.empty();
         });
}

std::vector<std::string> App::words(bool complete) const {
  const std::uint64_t position = shown_.empty() ? 0 : shown_.front().moment->position;
  ScreenState state{asked_, position, settings_, selection_, {}, {}, !lesson_runs_.empty(), {}};
  if (book_.is_open() && !book_.is_own()) {
    state.lesson = book_.frame().lesson->id;
    state.step = book_.frame().step->step->id;
  }
  const auto known = recorded_runs();
  const bool beside = gpu_.check && !frames_.empty() && gpu_.check->is_of(frames_.front().facts);
  if (beside && lesson_runs_.empty() && std::count(known.begin(), known.end(), recorded_))
    state.recorded = recorded_;
  return view_words(state, complete);
}

// A bare number is an event's.
void App::seek_words(const SeekWords& command) {
  std::string words = command.words;
  const bool number = !words.empty() && words.find_first_not_of("0123456789") == std::string::npos;
  if (number) words = "event " + words;
  go(
      command.run, [words](Timeline& timeline) { return position_of_words(timeline, words); }, true);
}

void App::open_files(const std::vector<std::string>& paths) {
  const auto is = [&](std::string_view ending) {
    return !paths.empty() &&
           std::all_of(paths.begin(), paths.end(), [&](const std::string& p) { return p.ends_with(ending); });
  };
  try {
    if (is(".npy")) return open({{request_of_npy(paths)}});
    if (paths.size() == 1 && is(".run")) return gpu_job_.open(paths.front());
    if (paths.size() == 1 && is(".lesson")) return open_lesson({paths.front()});
    if (paths.size() == 1 && is(".trace")) return open({{request_of_trace(paths.front())}});
    say(std::string(text(Str::cannot_drop, settings_.language)));
  } catch (const RequestError& error) {
    say(error.what());
  }
}

void App::run_kernel(const std::string& kernel) {
  if (!shown_.empty()) gpu_job_.run(kernel, shown_.front().facts);
}

// A recording of another run opens that run; one that a lesson brings has been opened where the lesson wants
// it.
void App::take_gpu() {
  const auto before = gpu_.check;
  const std::string error = std::move(gpu_.error);
  gpu_ = gpu_job_.status();
  if (!gpu_.error.empty() && gpu_.error != error) say(gpu_.error);
  if (!gpu_.check || gpu_.check == before) return;
  characters_.need(gpu_.check->origin);
  if (!lesson_runs_.empty()) return;
  raise(ViewId::gpu);
  const std::string at = std::exchange(recorded_at_, "");
  if (shown_.empty() || !gpu_.check->is_of(*shown_.front().facts))
    open({{gpu_.check->request}, at});
  else if (!at.empty())
    seek_words({at});
}

void App::seek_divergence() {
  for (std::size_t n = 0; n < frames_.size(); ++n) {
    const Divergence* d = frames_[n].divergence;
    if (!d && n == 0 && gpu_.check && gpu_.check->is_of(frames_[0].facts)) d = &gpu_.check->divergence;
    if (!d || !d->first) continue;
    say(d->words);
    const std::string words = d->words;
    apply(Seek{*d->first, n});
    return say(words);
  }
}

bool App::rest(std::chrono::milliseconds limit) {
  bool rested = gpu_job_.wait(limit);
  update(0);
  rested = rested && settle(limit);
  for (const auto& run : runs_) rested = rested && run->wait_for_rest(limit);
  update(0);
  return rested;
}

}  // namespace tilewalk::viz
