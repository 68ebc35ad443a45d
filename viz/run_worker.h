// One run, walked on a thread of its own, so that a long way never holds up the picture.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "viz/divergence.h"
#include "viz/moment.h"
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
  // `wake` is called, on the worker's thread, whenever the status has changed.
  RunWorker(RunRequest request, std::function<void()> wake);
  ~RunWorker();  // leaves what it is doing
  RunWorker(const RunWorker&) = delete;
  RunWorker& operator=(const RunWorker&) = delete;

  void go(Where where);          // after what was asked for before
  void go_at_once(Where where);  // instead of it
  WorkerStatus status() const;
  bool wait(std::chrono::milliseconds limit) const;           // until it is not busy; false when it still is
  bool wait_for_rest(std::chrono::milliseconds limit) const;  // until nothing is left to do
  bool is_loading() const;

 private:
  void work(RunRequest request);
  void serve(LoadedRun& run);
  void work_in_background(LoadedRun& run);
  void walk(LoadedRun& run, const Where& where);
  void report(double progress, bool may_be_left);
  void rest();
  void fail(const std::string& error);

  // With the lock held: nobody is left to go anywhere.
  bool could_not_be_loaded() const { return !status_.facts && !status_.error.empty(); }

  std::function<void()> wake_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  WorkerStatus status_;
  std::deque<Where> asked_;
  bool stop_ = false, leave_ = false;  // leave_: what is being done is no longer wanted
  std::thread thread_;                 // last, so that all else is there when it starts
};

}  // namespace tilewalk::viz
