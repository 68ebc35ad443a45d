// Time travel over a run. A position p is the moment after the first p events; the state there is a function
// of the run and p alone, however it was reached. Events are generated, never stored; states are kept as
// snapshots that share what did not change.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sim/emitter.h"
#include "sim/machine.h"
#include "sim/progress.h"

namespace tilewalk {

enum class StepSize : std::uint8_t { operation, tile, inner_loop, kernel };

// Where an event stands: event `index` of CTA `cta` of kernel `launch`.
struct Location {
  std::size_t launch = 0;
  std::int64_t cta = 0;
  std::uint64_t index = 0;
};

// `after` belongs to another step of this size than `before`, the event ahead of it.
bool begins_step(StepSize size, const Event& before, const Event& after, const Plan& plan);

class Timeline {
 public:
  // Walks one head's events to count them. Values are computed when inputs are given.
  explicit Timeline(std::shared_ptr<const Plan> plan, const Inputs* inputs = nullptr,
                    const Progress& progress = {});

  std::uint64_t size() const { return size_; }  // events, of all batches and heads
  std::uint64_t position() const { return position_; }
  const MachineState& state() { return machine_.state(); }
  const Plan& plan() const { return *plan_; }
  bool has_values() const { return machine_.has_values(); }

  Event event(std::uint64_t n);                          // n < size()
  Location locate(std::uint64_t n) const;                // n < size()
  std::uint64_t kernel_start(std::size_t launch) const;  // position; launch may be one past the last

  // `progress` may leave by throwing; the position is then between, and the same call goes on from there.
  void seek(std::uint64_t position, const Progress& progress = {});  // at most size()
  // Runs to the end once, so that every later seek starts from a near snapshot. Leaves the position as it is.
  void prepare(const Progress& progress = {});

  // Where a step from a position leads. At the end (start) it stays there.
  std::uint64_t after_step(std::uint64_t position, StepSize size);
  std::uint64_t before_step(std::uint64_t position, StepSize size);
  void step(StepSize size = StepSize::operation) { seek(after_step(position_, size)); }
  void step_back(StepSize size = StepSize::operation) { seek(before_step(position_, size)); }

  // Calls take(event) for events [from, to).
  template <class F>
  void each(std::uint64_t from, std::uint64_t to, F take) const {
    walk(from, to, Sink(take));
  }

  std::size_t snapshots() const { return snapshots_.size(); }

  // Bytes that travel with values may come to hold, beyond what running alone needs: the tiles of each
  // snapshot, and every version of a tensor that is written again and again.
  static std::uint64_t memory_needed(const Plan& plan);

 private:
  void walk(std::uint64_t from, std::uint64_t to, Sink take) const;
  void take(const Event& event);
  void thin_out();
  void advance(std::uint64_t to, const Progress& progress);
  std::uint64_t work_of(const Event& event) const;

  std::shared_ptr<const Plan> plan_;
  Machine machine_;
  std::vector<std::vector<std::uint64_t>>
      starts_;  // per kernel: events of one head before block n; last: all
  std::uint64_t size_ = 0, position_ = 0;
  std::map<std::uint64_t, MachineState> snapshots_;
  std::uint64_t work_ = 0, work_between_snapshots_ = 1;
  std::vector<Event> window_;  // events cached around the last one asked for
  std::uint64_t window_begin_ = 0;
};

}  // namespace tilewalk
