#include "viz/run_worker.h"

#include <algorithm>
#include <exception>

#include "sim/error.h"
#include "viz/rivals.h"

namespace tilewalk::viz {
namespace {

struct Left {};       // thrown out of long work that is no longer wanted
struct SliceOver {};  // thrown out of long work that goes on in the next slice

// A page stands still while a run is loaded.
constexpr std::chrono::seconds longest_load{20};
constexpr std::chrono::milliseconds least_patience{30};

}  // namespace

RunWorker::RunWorker(RunRequest request, std::function<void()> wake, WorkMode mode)
    : wake_(std::move(wake)), mode_(mode), request_(std::move(request)) {
  status_.busy = true;
  if (mode_ == WorkMode::on_threads) thread_ = std::thread([this] { live(); });
}

RunWorker::~RunWorker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = leave_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void RunWorker::go(Where where) {
  {
    const std::lock_guard lock(mutex_);
    if (could_not_be_loaded()) return;
    asked_.push_back(std::move(where));
    status_.busy = true;
  }
  changed_.notify_all();
}

void RunWorker::go_at_once(Where where) {
  {
    const std::lock_guard lock(mutex_);
    if (could_not_be_loaded()) return;
    asked_.clear();
    asked_.push_back(std::move(where));
    status_.busy = leave_ = true;
  }
  changed_.notify_all();
}

WorkerStatus RunWorker::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

template <class Done>
bool RunWorker::wait_until(std::chrono::milliseconds limit, Done done) {
  if (mode_ == WorkMode::in_slices) {
    const auto end = WorkClock::now() + limit;
    while (!done() && WorkClock::now() < end && work_until(end)) {
    }
    return done();
  }
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, done);
}

bool RunWorker::wait(std::chrono::milliseconds limit) {
  return wait_until(limit, [this] { return !status_.busy; });
}

bool RunWorker::wait_for_rest(std::chrono::milliseconds limit) {
  return wait_until(limit, [this] { return status_.rested; });
}

bool RunWorker::has_work() const {
  if (could_not_be_loaded()) return false;
  return !run_ || target_ || !asked_.empty() || !prepared_;
}

void RunWorker::live() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stop_ || has_work(); });
      if (stop_) return;
    }
    turn();
  }
}

bool RunWorker::work_until(WorkClock::time_point end) {
  if (mode_ == WorkMode::on_threads) return false;
  slice_end_ = end;
  do {
    if (!has_work()) return false;
    turn();
  } while (WorkClock::now() < end);
  return has_work();
}

// Does what is to be done next, or some of it.
void RunWorker::turn() {
  bool on_its_way = false;
  {
    const std::lock_guard lock(mutex_);
    if (leave_) target_.reset();
    leave_ = false;
    // With nothing asked for, the way to the end is run once, so that later seeks are short.
    on_its_way = target_ || !asked_.empty();
  }
  if (mode_ == WorkMode::in_slices) slice_end_ = std::max(slice_end_, WorkClock::now() + patience_);
  try {
    if (!run_)
      load();
    else if (on_its_way)
      walk();
    else
      work_in_background();
  } catch (const SliceOver&) {
    return grow_slice();
  } catch (const Left&) {
    target_.reset();
  } catch (const std::exception& error) {
    target_.reset();
    if (run_ && !on_its_way) prepared_ = true;  // a faulty schedule may not reach its end
    fail(error.what());
  }
  furthest_ = 0, patience_ = {};
}

// Work that begins anew in each slice, from a snapshot say, comes to an end only if slices grow until it
// does.
void RunWorker::grow_slice() {
  const std::uint64_t reached = run_->timeline.position();
  patience_ = reached > furthest_ ? WorkClock::duration{}
                                  : std::max<WorkClock::duration>(least_patience, 2 * patience_);
  furthest_ = std::max(furthest_, reached);
}

void RunWorker::load() {
  const auto begin = WorkClock::now();
  run_ = load_run(request_, [&](double done) {
    report(done, false);
    if (mode_ == WorkMode::in_slices && WorkClock::now() - begin > longest_load)
      throw RequestError("this run takes a page too long to count; choose a smaller N or larger blocks");
  });
  const std::lock_guard lock(mutex_);
  status_.facts = run_->facts;
  if (asked_.empty()) asked_.push_back([](Timeline&) { return std::uint64_t{0}; });
}

// Runs to the end once, and finds where a fault shows.
void RunWorker::work_in_background() {
  const Progress progress = [this](double) { report(-1, true); };
  run_->timeline.prepare(progress);
  if (run_->beside) run_->beside->prepare(progress);
  auto divergence = divergence_of(*run_->facts, progress);
  prepared_ = true;
  {
    const std::lock_guard lock(mutex_);
    status_.divergence = std::move(divergence);
    status_.rested = true;
  }
  tell();
}

void RunWorker::walk() {
  const std::shared_ptr<const Moment> last = status().moment;
  if (!target_) {
    Where where;
    {
      const std::lock_guard lock(mutex_);
      where = std::move(asked_.front());
      asked_.pop_front();
      status_.progress = 0;
    }
    // Work in the background may have been left anywhere; a step leads on from what is on the screen.
    if (last) run_->timeline.seek(last->position);
    target_ = where(run_->timeline);
  }
  const Progress progress = [this](double done) { report(done, true); };
  auto moment = std::make_shared<Moment>(moment_at(run_->timeline, *target_, progress, last.get()));
  if (run_->beside) moment->beside = counts_as_far(*run_->beside, run_->timeline, progress);
  target_.reset();
  {
    const std::lock_guard lock(mutex_);
    status_.moment = std::move(moment);
    status_.error.clear();
    status_.busy = !asked_.empty();
  }
  tell();
}

// Called during long work. A progress below 0 is that of work in the background, which gives way to anything.
void RunWorker::report(double progress, bool may_be_left) {
  if (may_be_left && mode_ == WorkMode::in_slices && WorkClock::now() >= slice_end_) throw SliceOver();
  {
    const std::lock_guard lock(mutex_);
    if (stop_ || (may_be_left && leave_) || (progress < 0 && !asked_.empty())) throw Left();
    if (progress < 0 || progress - status_.progress < 0.02) return;
    status_.progress = progress;
  }
  if (wake_) wake_();
}

void RunWorker::fail(const std::string& error) {
  {
    const std::lock_guard lock(mutex_);
    status_.error = error;
    status_.busy = !asked_.empty() && status_.facts;
    status_.rested = status_.rested || prepared_;
  }
  tell();
}

void RunWorker::tell() {
  changed_.notify_all();
  if (wake_) wake_();
}

}  // namespace tilewalk::viz
