// One run, walked beside the picture, so that a long way never holds it up: on a thread of its own, or in
// slices.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "viz/divergence.h"
#include "viz/moment.h"
#include "viz/platform.h"
#include "viz/run_request.h"

namespace tilewalk::viz {

// Where to go, as a position.
using Where = std::function<std::uint64_t(Timeline&)>;

struct WorkerStatus {
  std::shared_ptr<const RunFacts> facts;         // null until the run is loaded
  std::shared_ptr<const Moment> moment;          // the latest; null until then
  std::shared_ptr<const Divergence> divergence;  // of a faulty run, once it is known
  bool rested = false;                           // nothing is left to do in the background
  std::string error;                             // why it could not be loaded, or gone there; one line
  bool busy = false;                             // loading, or on its way
  double progress = 0;                           // of what it is busy with, 0 to 1
};

class RunWorker {
 public:
  // `wake` is called, where the work is done, whenever the status has changed.
  RunWorker(RunRequest request, std::function<void()> wake, WorkMode mode = default_work_mode);
  ~RunWorker();  // leaves what it is doing
  RunWorker(const RunWorker&) = delete;
  RunWorker& operator=(const RunWorker&) = delete;

  void go(Where where);          // after what was asked for before
  void go_at_once(Where where);  // instead of it
  WorkerStatus status() const;
  bool wait(std::chrono::milliseconds limit);           // until it is not busy; false when it still is
  bool wait_for_rest(std::chrono::milliseconds limit);  // until nothing is left to do

  // In slices: works until about then; returns whether something is left to do. On threads it does nothing.
  bool work_until(WorkClock::time_point end);

 private:
  void live();
  void turn();
  void load();
  void walk();
  void work_in_background();
  void grow_slice();
  void report(double progress, bool may_be_left);
  void fail(const std::string& error);
  void tell();
  template <class Done>
  bool wait_until(std::chrono::milliseconds limit, Done done);

  // With the lock held. could_not_be_loaded: nobody is left to go anywhere.
  bool could_not_be_loaded() const { return !status_.facts && !status_.error.empty(); }
  bool has_work() const;

  std::function<void()> wake_;
  WorkMode mode_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  WorkerStatus status_;
  std::deque<Where> asked_;
  bool stop_ = false, leave_ = false;  // leave_: what is being done is no longer wanted

  // Of whoever does the work.
  RunRequest request_;
  std::optional<LoadedRun> run_;
  std::optional<std::uint64_t> target_;  // of the way that is being gone
  bool prepared_ = false;                // the background work is done
  WorkClock::time_point slice_end_ = WorkClock::time_point::max();
  WorkClock::duration patience_{};  // how long a slice is at least, once one has led no further
  std::uint64_t furthest_ = 0;      // position that slices have led to

  std::thread thread_;  // last, so that all else is there when it starts
};

}  // namespace tilewalk::viz
