#include "viz/run_worker.h"

#include <exception>

#include "viz/rivals.h"

namespace tilewalk::viz {
namespace {

struct Left {};  // thrown out of long work that is no longer wanted

}  // namespace

RunWorker::RunWorker(RunRequest request, std::function<void()> wake) : wake_(std::move(wake)) {
  status_.busy = true;
  thread_ = std::thread([this, request = std::move(request)]() mutable { work(std::move(request)); });
}

RunWorker::~RunWorker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = leave_ = true;
  }
  changed_.notify_all();
  thread_.join();
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

bool RunWorker::is_loading() const {
  const std::lock_guard lock(mutex_);
  return !status_.facts && status_.busy;
}

bool RunWorker::wait(std::chrono::milliseconds limit) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [this] { return !status_.busy; });
}

void RunWorker::work(RunRequest request) {
  try {
    LoadedRun run = load_run(request, [this](double done) { report(done, false); });
    {
      const std::lock_guard lock(mutex_);
      status_.facts = run.facts;
      if (asked_.empty()) asked_.push_back([](Timeline&) { return std::uint64_t{0}; });
    }
    serve(run);
  } catch (const Left&) {
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void RunWorker::serve(LoadedRun& run) {
  bool prepared = false;
  while (true) {
    Where where;
    {
      std::unique_lock lock(mutex_);
      // With nothing asked for, the way to the end is run once, so that later seeks are short.
      if (asked_.empty() && prepared) changed_.wait(lock, [this] { return stop_ || !asked_.empty(); });
      if (stop_) return;
      leave_ = false;
      if (!asked_.empty()) {
        where = std::move(asked_.front());
        status_.progress = 0;
        asked_.pop_front();
      }
    }
    try {
      if (where) {
        walk(run, where);
      } else {
        work_in_background(run);
        prepared = true;
      }
    } catch (const Left&) {
    } catch (const std::exception& error) {
      prepared = prepared || !where;  // a faulty schedule may not reach its end
      if (!where) rest();
      fail(error.what());
    }
  }
}

// Runs to the end once, and finds where a fault shows.
void RunWorker::work_in_background(LoadedRun& run) {
  const Progress progress = [this](double) { report(-1, true); };
  run.timeline.prepare(progress);
  if (run.beside) run.beside->prepare(progress);
  auto divergence = divergence_of(*run.facts, progress);
  {
    const std::lock_guard lock(mutex_);
    status_.divergence = std::move(divergence);
  }
  rest();
}

void RunWorker::rest() {
  {
    const std::lock_guard lock(mutex_);
    status_.rested = true;
  }
  changed_.notify_all();
  if (wake_) wake_();
}

bool RunWorker::wait_for_rest(std::chrono::milliseconds limit) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [this] { return status_.rested; });
}

void RunWorker::walk(LoadedRun& run, const Where& where) {
  const std::uint64_t position = where(run.timeline);
  const std::shared_ptr<const Moment> last = status().moment;
  const Progress progress = [this](double done) { report(done, true); };
  auto moment = std::make_shared<Moment>(moment_at(run.timeline, position, progress, last.get()));
  if (run.beside) moment->beside = counts_as_far(*run.beside, run.timeline, progress);
  {
    const std::lock_guard lock(mutex_);
    status_.moment = std::move(moment);
    status_.error.clear();
    status_.busy = !asked_.empty();
  }
  changed_.notify_all();
  if (wake_) wake_();
}

// Called during long work. A progress below 0 is that of work in the background, which gives way to anything.
void RunWorker::report(double progress, bool may_be_left) {
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
  }
  changed_.notify_all();
  if (wake_) wake_();
}

}  // namespace tilewalk::viz
