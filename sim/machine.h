// The executor: takes events one by one, counts what they cost, enforces the rules of the hierarchy and, in
// value mode, does the arithmetic.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "sim/cost.h"
#include "sim/hbm.h"
#include "sim/inputs.h"
#include "sim/plan.h"

namespace tilewalk {

// One on-chip tile. Rows and columns beyond the valid ones, and everything before the first write, are stale.
struct TileState {
  bool allocated = false, written = false;
  std::int32_t rows = 0, cols = 0;  // valid elements
  std::int32_t row = -1, col = -1;  // tile of the score matrix for which its contents were last set afresh
  std::shared_ptr<Block> values;    // null in count-only mode
};

// Everything that the past decides. Copies share blocks, so that keeping many of them is cheap.
struct MachineState {
  std::vector<Counts> counts;                    // one a kernel
  std::array<std::uint64_t, max_levels> used{};  // bytes allocated by the current CTA
  int launch = -1;
  std::int32_t cta = -1;
  std::vector<TileState> tiles;              // of the current CTA, in the order of Kernel::tiles
  std::uint64_t allocated = 0, written = 0;  // the same as sets, bit n for tile n
  std::vector<HbmTensor> hbm;                // in the order of the TensorTable; empty in count-only mode

  Counts total() const;
  // Counts, valid tiles and tensors are equal bit for bit.
  bool same_as(const MachineState& other) const;
};

// An event seen before, but for its place: its cost and checks are kept, so that counting an inner loop costs
// little more than emitting it.
struct Repeat {
  struct Part {
    TileHandle tile;
    std::int32_t rows, cols;
  };
  Event event;
  Cost cost;
  std::uint64_t times = 0;                              // not yet added to the counts
  std::uint64_t touched = ~std::uint64_t{0}, read = 0;  // sets of tiles, bit n for tile n
  std::uint64_t written = 0;
  std::uint32_t read_count = 0, afresh_count = 0;
  std::array<Part, 6> reads;   // what it needs of the tiles that it reads
  std::array<Part, 4> afresh;  // what it makes of the tiles that it writes without reading them

  // The event is one of these, in a CTA already entered, and finds its operands as it needs them.
  bool covers(const Event& e, const MachineState& state) const {
    return e.cta == state.cta && same_kind(event, e) && (touched & ~state.allocated) == 0 &&
           (read & ~state.written) == 0 && finds_enough(state);
  }

 private:
  // Field by field: comparing memory at once would wait for the bytes just stored to reach it.
  static bool same_kind(const Event& a, const Event& b) {
    return a.op == b.op && a.flags == b.flags && a.rows == b.rows && a.cols == b.cols && a.depth == b.depth &&
           a.operand[0] == b.operand[0] && a.operand[1] == b.operand[1] && a.operand[2] == b.operand[2] &&
           a.operand[3] == b.operand[3] && a.operand[4] == b.operand[4] && a.operand[5] == b.operand[5] &&
           a.tensor == b.tensor && a.launch == b.launch && a.from == b.from && a.to == b.to;
  }
  bool finds_enough(const MachineState& state) const {
    for (std::uint32_t n = 0; n < read_count; ++n) {
      const TileState& tile = state.tiles[reads[n].tile];
      if (tile.rows < reads[n].rows || tile.cols < reads[n].cols) return false;
    }
    return true;
  }
};

class Machine {
 public:
  // Count-only without inputs.
  explicit Machine(std::shared_ptr<const Plan> plan, const Inputs* inputs = nullptr);

  // Throws ScheduleError when the event breaks a rule, RequestError when a level overflows.
  void execute(const Event& event) {
    if (has_values_ || event.line >= repeats_.size() || !repeats_[event.line].covers(event, state_)) {
      return execute_in_full(event);
    }
    Repeat& repeat = repeats_[event.line];
    ++repeat.times;
    mark_written(event, repeat);
  }
  // After the last event: every tile is freed.
  void finish() const;

  const Plan& plan() const { return *plan_; }
  bool has_values() const { return has_values_; }
  const MachineState& state();
  void restore(const MachineState& state);

 private:
  void execute_in_full(const Event& event);
  void compute_checked(const Event& event);
  void mark_written(const Event& e, const Repeat& repeat) {
    for (std::uint32_t n = 0; n < repeat.afresh_count; ++n) {
      const Repeat::Part& written = repeat.afresh[n];
      TileState& tile = state_.tiles[written.tile];
      tile.written = true;
      tile.rows = written.rows;
      tile.cols = written.cols;
      tile.row = e.row;
      tile.col = e.col;
    }
    state_.written |= repeat.written;
  }
  void enter(const Event& event);
  void alloc(const Event& event);
  void free(const Event& event);
  void learn(const Event& event, Repeat& repeat);
  void check_operands(const Event& event, const Uses& uses) const;
  void settle(Repeat& repeat);
  [[noreturn]] void fail(const Event& event, const std::string& why) const;

  std::shared_ptr<const Plan> plan_;
  bool has_values_ = false;
  MachineState state_;
  std::vector<Repeat> repeats_;  // by source line
  Matrix scratch_, product_;     // of gemms
};

// The arithmetic of one event on the tiles and tensors of `state`. Defined in arithmetic.cpp.
struct Scratch {
  Matrix &rounded, &product;
};
void compute(const Event& event, const Plan& plan, MachineState& state, Scratch scratch);

}  // namespace tilewalk
