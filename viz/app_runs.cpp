// The part of the App that opens runs, moves them and takes what they have reached.
#include <algorithm>
#include <cmath>

#include "sim/anchor.h"
#include "viz/app.h"

namespace tilewalk::viz {
namespace {

constexpr std::size_t most_runs = 3;
constexpr std::size_t most_steps_a_frame = 64;

bool moves(const std::optional<Event>& e) { return e && (e->op == Op::load || e->op == Op::store); }

Where at_progress(double progress) {
  return [progress](Timeline& timeline) {
    return static_cast<std::uint64_t>(std::llround(progress * double(timeline.size())));
  };
}

double progress_of(const WorkerStatus& status) {
  return status.facts->size == 0 ? 0 : double(status.moment->position) / double(status.facts->size);
}

}  // namespace

// `step` stops before a tile, which it is about to do. A picture shows what was done: here the tile has
// begun.
std::uint64_t position_of_words(Timeline& timeline, const std::string& words) {
  const std::uint64_t position = find_anchor(timeline, words);
  return words.starts_with("tile") && position < timeline.size() ? position + 1 : position;
}

void App::open(const OpenRuns& command) {
  const auto& requests = command.requests;
  opening_.clear();
  lesson_runs_.clear();
  for (std::size_t n = 0; n < std::min(requests.size(), most_runs); ++n) {
    RunRequest request = requests[n];
    request.alone = requests.size() == 1;
    opening_.push_back(std::make_unique<RunWorker>(std::move(request), wake_, mode_));
  }
  if (opening_.empty()) return;
  asked_.assign(requests.begin(), requests.begin() + std::ptrdiff_t(opening_.size()));
  refused_.clear();
  if (!command.at.empty()) {
    opening_.front()->go(
        [words = command.at](Timeline& timeline) { return position_of_words(timeline, words); });
  } else if (!shown_.empty()) {
    for (auto& run : opening_) run->go(at_progress(progress_of(shown_[leader_])));
  }
}

void App::go(std::size_t run, Where where, bool at_once) {
  if (run >= runs_.size()) return;
  leader_ = run;
  notice_.clear();
  if (at_once) {
    playing_ = false;
    runs_[run]->go_at_once(std::move(where));
  } else {
    runs_[run]->go(std::move(where));
  }
}

void App::step(int direction, std::size_t times) {
  go(
      leader_,
      [=, size = settings_.step](Timeline& timeline) {
        std::uint64_t at = timeline.position();
        for (std::size_t n = 0; n < times; ++n)
          at = direction > 0 ? timeline.after_step(at, size) : timeline.before_step(at, size);
        return at;
      },
      false);
}

void App::take_opened() {
  loading_ = -1;
  bool all = !opening_.empty();
  for (const auto& run : opening_) {
    const WorkerStatus status = run->status();
    // There is a run, but no such place in it: better its start than nothing.
    if (status.facts && !status.moment && !status.error.empty() && !status.busy && shown_.empty()) {
      say(status.error);
      run->go([](Timeline&) { return std::uint64_t{0}; });
    } else if (!status.moment && !status.error.empty() && !status.busy) {
      say(status.error);
      refused_ = status.error;
      opening_.clear();
      return;
    }
    all = all && status.moment;
    loading_ = std::max(loading_, status.progress);
  }
  if (!all) return;
  runs_ = std::exchange(opening_, {});
  shown_.assign(runs_.size(), {});
  leader_ = 0;
  loading_ = -1;
  // The runs before may have had fewer rows.
  if (!lesson_runs_.empty() && book_.is_open()) selection_.row = lesson_row_;
  for (const auto& run : runs_) characters_.need(title_of(*run->status().facts));
}

void App::take_moments() {
  frames_.clear();
  for (std::size_t n = 0; n < runs_.size(); ++n) {
    WorkerStatus status = runs_[n]->status();
    const bool new_error = !status.error.empty() && status.error != shown_[n].error;
    const bool moved = status.moment != shown_[n].moment;
    shown_[n] = std::move(status);
    if (new_error) say(shown_[n].error);
    if (new_error) playing_ = false;
    if (n != leader_ || !moved) continue;
    flight_ = moves(shown_[n].moment->done) ? 0.0f : 1.0f;
    follow_leader();
  }
  clamp_selection();
  for (const WorkerStatus& status : shown_)
    frames_.push_back({*status.facts, *status.moment, status.busy, status.progress, status.divergence.get()});
}

void App::follow_leader() {
  for (std::size_t n = 0; n < runs_.size(); ++n) {
    if (n != leader_) runs_[n]->go_at_once(at_progress(progress_of(shown_[leader_])));
  }
}

void App::play(double seconds) {
  if (!playing_ || shown_.empty() || shown_[leader_].busy) return;
  const WorkerStatus& leader = shown_[leader_];
  if (leader.moment->position >= leader.facts->size) {
    playing_ = false;
    return;
  }
  due_ += seconds * double(settings_.speed);
  const auto steps = std::min(static_cast<std::size_t>(due_), most_steps_a_frame);
  due_ = std::min(due_ - double(steps), 1.0);
  if (steps > 0) step(1, steps);
}

bool App::work_until(WorkClock::time_point end) {
  if (mode_ == WorkMode::on_threads) return false;
  gpu_job_.work();
  bool more = false;
  for (const auto* all : {&opening_, &runs_}) {
    for (const auto& run : *all) more = run->work_until(end) || more;
  }
  return more;
}

bool App::settle(std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + limit;
  const auto left = [&] { return std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()); };
  const bool was_playing = std::exchange(playing_, false);
  bool settled = true;
  // Twice: what the leader has reached sends the others on their way.
  for (int round = 0; round < 2 && settled; ++round) {
    for (const auto* all : {&opening_, &runs_}) {
      for (const auto& run : *all)
        settled = settled && run->wait(std::max(left(), std::chrono::milliseconds(0)));
    }
    update(0);
  }
  flight_ = 1;
  playing_ = was_playing;
  return settled;
}

}  // namespace tilewalk::viz
