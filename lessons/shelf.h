// The runs that lessons show. A run is opened once, whatever lessons ask for it, and does its work when it is
// first asked for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "lessons/recording.h"
#include "lessons/row_truth.h"
#include "lessons/run_request.h"
#include "sim/compare.h"
#include "sim/run.h"
#include "sim/timeline.h"

namespace tilewalk {

class OpenRun {
 public:
  // `words` as of a lesson's run: an algorithm with flags, or "recorded NAME". Throws RequestError.
  explicit OpenRun(const std::string& words);

  const Request& request() const { return request_; }
  const Algorithm& algorithm() const { return *algorithm_; }
  const Plan& plan() const { return *plan_; }
  std::shared_ptr<const Plan> shared_plan() const { return plan_; }
  bool has_values() const { return inputs_ != nullptr; }
  bool is_recorded() const { return recording_.has_value(); }
  const Recording& recording() const { return *recording_; }
  const std::string& recording_name() const { return recording_name_; }  // "" unless is_recorded()
  const Run& counts() const { return counts_; }

  // These throw RequestError when the run has no values.
  const Inputs& inputs() const;
  const Run& executed();                    // with the check of its output
  const RowTruth& truth(std::int64_t row);  // of the first head, by definition; row < n_q
  const TraceDiff& difference();            // of a faulty or recorded run from the sound one
  Timeline& timeline();
  // The position of the words (sim/anchor.h). Throws RequestError.
  std::uint64_t position(const std::string& words);

 private:
  void open_recording(const std::string& name, RunFlags& flags);

  Request request_;
  const Algorithm* algorithm_ = nullptr;
  std::shared_ptr<const Plan> plan_;
  std::unique_ptr<const Inputs> inputs_;
  Run counts_;
  std::optional<Recording> recording_;
  std::string recording_name_;
  std::optional<Run> executed_;
  std::map<std::int64_t, RowTruth> truths_;  // by row
  std::optional<TraceDiff> difference_;
  std::optional<Timeline> timeline_;
  std::map<std::string, std::uint64_t> positions_;
};

class Shelf {
 public:
  OpenRun& open(const std::string& words);

 private:
  std::map<std::string, std::unique_ptr<OpenRun>> runs_;
};

}  // namespace tilewalk
