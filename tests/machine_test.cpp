// The rules of the hierarchy, as the machine enforces them on hand-edited lists of events; and what every
// sound run leaves behind.
#include "sim/machine.h"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sim/error.h"
#include "sim/trace.h"

namespace tilewalk {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

using PlanPtr = std::shared_ptr<const Plan>;

// Blocks of 2 on toy: n_q x n_kv scores, d = 4, f32.
PlanPtr small_plan(const Algorithm& algorithm, std::int64_t n_q, std::int64_t n_kv,
                   std::string_view mask = "none", std::int64_t heads = 1) {
  Problem problem;
  problem.heads = heads;
  problem.n_q = n_q;
  problem.n_kv = n_kv;
  problem.d = 4;
  problem.dtype = DType::f32;
  problem.mask = parse_mask(mask);
  return make_plan({&algorithm, problem, {2, 2, Order::ascending}, arch_named("toy"), nullptr});
}

std::vector<Event> events_of(const PlanPtr& plan) { return record(plan, nullptr).events; }

MachineState end_state(const PlanPtr& plan, const Inputs* inputs) {
  Machine machine(plan, inputs);
  for (const Event& e : events_of(plan)) machine.execute(e);
  machine.finish();
  return machine.state();
}

struct Outcome {
  std::string kind, message;  // "schedule" or "request"; "" when nothing was thrown
};

Outcome outcome(const PlanPtr& plan, const std::vector<Event>& events, bool with_values) {
  const Inputs inputs = random_inputs(plan->problem(), 0);
  Machine machine(plan, with_values ? &inputs : nullptr);
  try {
    for (const Event& e : events) machine.execute(e);
    machine.finish();
  } catch (const ScheduleError& error) {
    return {"schedule", error.what()};
  } catch (const RequestError& error) {
    return {"request", error.what()};
  }
  return {};
}

// ---- Broken lists ----

// The n-th event (from 0) that does `op` to the tile.
struct Place {
  Op op;
  std::string_view tile;
  int n = 0;
};

struct Script {
  PlanPtr plan;
  std::vector<Event> events;

  auto find(const Place& place) {
    int left = place.n;
    for (auto e = events.begin(); e != events.end(); ++e) {
      const std::string_view tile = plan->kernels[e->launch].tiles[e->operand[0]].name;
      if (e->op == place.op && tile == place.tile && left-- == 0) return e;
    }
    FAIL("no event " << name_of(place.op) << " " << place.tile);
    return events.end();
  }
  void drop(const Place& place) { events.erase(find(place)); }
  void repeat(const Place& place) {
    const Event copy = *find(place);
    events.insert(find(place), copy);
  }
  void move(const Place& place, const Place& before) {
    const Event moved = *find(place);
    drop(place);
    events.insert(find(before), moved);
  }
};

struct Broken {
  std::string name;
  std::function<void(Script&)> edit;
  std::string message;
};

Broken dropped(const Place& place, const std::string& message) {
  return {"without " + std::string(name_of(place.op)) + " " + std::string(place.tile),
          [=](Script& script) { script.drop(place); }, message};
}
Broken repeated(const Place& place, const std::string& message) {
  return {std::string(name_of(place.op)) + " " + std::string(place.tile) + " twice",
          [=](Script& script) { script.repeat(place); }, message};
}
Broken moved(const Place& place, const Place& before, const std::string& message) {
  return {std::string(name_of(place.op)) + " " + std::string(place.tile) + " too early",
          [=](Script& script) { script.move(place, before); }, message};
}
Broken renewed(std::string_view tile, const Place& before, const std::string& message) {
  return {std::string(tile) + " freed and allocated again",
          [=](Script& script) {
            const Event freed = *script.find({Op::free, tile}), allocated = *script.find({Op::alloc, tile});
            const auto place = script.events.insert(script.find(before), {freed, allocated});
            for (int n = 0; n < 2; ++n) place[n].cta = place[2].cta;
          },
          message};
}
Broken changed(const Place& place, std::int32_t Event::*field, std::int32_t value,
               const std::string& message) {
  return {std::string(name_of(place.op)) + " " + std::string(place.tile) + " with another extent",
          [=](Script& script) { (*script.find(place)).*field = value; }, message};
}

// flash2 on 7 x 7 scores: 4 CTAs of 4 key blocks, and the last of either has one row. The tables below plant
// faults in the first CTA, and in later ones, where the machine has seen the events before.
void check_broken(const std::vector<Broken>& rows) {
  const PlanPtr plan = small_plan(flash2, 7, 7);
  REQUIRE(outcome(plan, events_of(plan), false).message == "");
  REQUIRE(outcome(plan, events_of(plan), true).message == "");
  for (const Broken& row : rows) {
    Script script{plan, events_of(plan)};
    row.edit(script);
    CAPTURE(row.name);
    const Outcome counted = outcome(plan, script.events, false);
    CHECK(counted.kind == "schedule");
    // With values, a read that the rules let pass would leave the matrix.
    if (counted.kind != "schedule") continue;
    CAPTURE(counted.message);
    CHECK(contains(counted.message, "kernel flash2, CTA "));
    CHECK(contains(counted.message, row.message));
    const Outcome with_values = outcome(plan, script.events, true);
    CHECK(with_values.kind == "schedule");
    CHECK(with_values.message == counted.message);
  }
}

TEST_CASE("machine: a tile is read only after it was written") {
  const std::string before = " is read before anything was written to it";
  check_broken({
      dropped({Op::load, "q"}, "tile q" + before),
      dropped({Op::load, "q", 2}, "tile q" + before),
      dropped({Op::load, "k"}, "tile k" + before),
      dropped({Op::load, "k", 8}, "tile k" + before),
      dropped({Op::load, "v"}, "tile v" + before),
      dropped({Op::fill, "m"}, "tile m" + before),
      dropped({Op::fill, "m", 2}, "tile m" + before),
      dropped({Op::fill, "l", 3}, "tile l" + before),
      dropped({Op::fill, "o"}, "tile o" + before),
      dropped({Op::gemm, "s"}, "tile s" + before),
      dropped({Op::gemm, "s", 4}, "tile s" + before),
      dropped({Op::online_softmax, "s", 8}, "tile alpha" + before),
      dropped({Op::normalize, "o"}, "tile lse" + before),
      renewed("k", {Op::gemm, "s"}, "tile k" + before),
      renewed("k", {Op::gemm, "s", 9}, "tile k" + before),
      renewed("o", {Op::store, "o", 1}, "tile o" + before),
  });
}

TEST_CASE("machine: a tile is used only while it is allocated") {
  const std::string gone = " is not allocated";
  check_broken({
      dropped({Op::alloc, "q"}, "tile q" + gone),
      dropped({Op::alloc, "s", 2}, "tile s" + gone),
      dropped({Op::alloc, "lse", 3}, "tile lse" + gone),
      moved({Op::free, "k"}, {Op::gemm, "s", 1}, "tile k" + gone),
      moved({Op::free, "v", 2}, {Op::gemm, "o", 9}, "tile v" + gone),
      moved({Op::free, "o"}, {Op::store, "o"}, "tile o" + gone),
      moved({Op::free, "alpha", 3}, {Op::rescale, "o", 15}, "tile alpha" + gone),
      repeated({Op::free, "s"}, "tile s" + gone),
      repeated({Op::free, "lse", 3}, "tile lse" + gone),
      repeated({Op::alloc, "q"}, "tile q is allocated already"),
      repeated({Op::alloc, "alpha", 2}, "tile alpha is allocated already"),
  });
}

TEST_CASE("machine: a CTA frees what it allocated") {
  check_broken({
      dropped({Op::free, "q"}, "CTA 0: ends without freeing tile q"),
      dropped({Op::free, "alpha", 2}, "CTA 2: ends without freeing tile alpha"),
      dropped({Op::free, "lse", 3}, "CTA 3: ends without freeing tile lse"),
  });
}

TEST_CASE("machine: a tile is read no further than it was written") {
  const std::string beyond = " is read beyond what was written to it";
  check_broken({
      changed({Op::gemm, "s"}, &Event::depth, 5, "tile q" + beyond),
      changed({Op::gemm, "s", 9}, &Event::depth, 5, "tile q" + beyond),
      changed({Op::gemm, "o"}, &Event::depth, 3, "tile s" + beyond),
      changed({Op::gemm, "o", 9}, &Event::depth, 3, "tile s" + beyond),
      changed({Op::store, "o"}, &Event::rows, 3, "tile o" + beyond),
      changed({Op::store, "o", 2}, &Event::cols, 5, "tile o" + beyond),
      changed({Op::store, "lse", 3}, &Event::rows, 3, "tile lse" + beyond),
  });
}

// The last block has one row: an operation there on two, as before, reads what an earlier block left.
TEST_CASE("machine: the same operation is refused on a tile that holds less than the last time") {
  const std::string beyond = " is read beyond what was written to it";
  check_broken({
      changed({Op::gemm, "s", 3}, &Event::cols, 2, "tile k" + beyond),
      changed({Op::gemm, "s", 15}, &Event::cols, 2, "tile k" + beyond),
      changed({Op::online_softmax, "s", 3}, &Event::cols, 2, "tile s" + beyond),
      changed({Op::gemm, "o", 3}, &Event::depth, 2, "tile s" + beyond),
      changed({Op::gemm, "o", 11}, &Event::depth, 2, "tile s" + beyond),
      changed({Op::gemm, "s", 12}, &Event::rows, 2, "tile q" + beyond),
      changed({Op::store, "o", 3}, &Event::rows, 2, "tile o" + beyond),
  });
}

TEST_CASE("machine: a tile is not filled beyond its size") {
  const std::string beyond = " is written beyond its size";
  check_broken({
      changed({Op::load, "k"}, &Event::rows, 3, "tile k" + beyond),
      changed({Op::load, "q", 3}, &Event::cols, 5, "tile q" + beyond),
      changed({Op::fill, "m"}, &Event::rows, 3, "tile m" + beyond),
      changed({Op::fill, "o", 2}, &Event::cols, 5, "tile o" + beyond),
  });
}

// Capacities shrunk after planning, as a schedule that allocates more than its table says would find them.
TEST_CASE("machine: a level that overflows is refused with the tile, what it makes and what there is") {
  struct Row {
    const Algorithm* algorithm;
    std::string level, tile, bytes;
    std::uint64_t footprint;  // by hand: f32 tiles of 2 x 4, scores of 2 x 2, vectors of 2
  };
  const Row rows[] = {
      {&flash2, "sram", "v", "32 B", 3 * 32},                 // q k v
      {&flash2, "reg", "lse", "8 B", 16 + 32 + 4 * 8},        // s o, m l alpha lse
      {&fused_nosoftmax, "sram", "v", "32 B", 3 * 32},        // q k v
      {&fused_nosoftmax, "reg", "o", "32 B", 16 + 32},        // s o
      {&flash1, "sram", "beta", "8 B", 4 * 32 + 16 + 6 * 8},  // q k v o, s, m l m_tile l_tile alpha beta
      {&flash1_fig2, "sram", "beta", "8 B", 4 * 32 + 16 + 6 * 8},
      {&standard, "sram", "s", "16 B", 2 * 32 + 16},  // q k s, as much as p v o
      {&standard_nosoftmax, "sram", "s", "16 B", 2 * 32 + 16},
  };
  for (const Row& row : rows) {
    const PlanPtr plan = small_plan(*row.algorithm, 8, 8);
    auto shrunk = std::make_shared<Plan>(*plan);
    const auto level = static_cast<std::size_t>(plan->config.arch.level(row.level));
    std::uint64_t& capacity = shrunk->config.arch.levels[level].capacity;
    CAPTURE(row.algorithm->name);
    CHECK(plan->footprint(static_cast<int>(level)) == row.footprint);
    for (const bool with_values : {false, true}) {
      capacity = row.footprint;
      CHECK(outcome(shrunk, events_of(plan), with_values).message == "");
      capacity = 0;  // not limited
      CHECK(outcome(shrunk, events_of(plan), with_values).message == "");
      capacity = row.footprint - 1;
      const Outcome refused = outcome(shrunk, events_of(plan), with_values);
      CAPTURE(refused.message);
      CHECK(refused.kind == "request");
      CHECK(contains(refused.message, "tile " + row.tile + " of " + row.bytes));
      CHECK(contains(refused.message, "makes " + std::to_string(row.footprint) + " B of " + row.level));
      CHECK(contains(refused.message, "toy has " + std::to_string(row.footprint - 1) + " B"));
      CHECK(contains(refused.message, "choose smaller blocks"));
    }
  }
}

TEST_CASE("machine: a tensor is touched only inside") {
  const PlanPtr plan = small_plan(flash2, 8, 8);
  for (const auto& [op, tile] : {std::pair{Op::load, "k"}, {Op::load, "q"}, {Op::store, "o"}}) {
    Script script{plan, events_of(plan)};
    Event& e = *script.find({op, tile});
    e.col = e.row = 99;
    const Outcome refused = outcome(plan, script.events, true);
    CHECK(refused.kind == "schedule");
    CHECK(contains(refused.message, "outside its 8 x 4"));
  }
}

TEST_CASE("machine: HBM is read only where it was written") {
  struct Row {
    const Algorithm* algorithm;
    Place dropped;
    std::string tensor, kernel;  // of the load that finds nothing
  };
  const Row rows[] = {
      {&standard, {Op::store, "s", 0}, "S", "softmax"},
      {&standard, {Op::store, "s", 15}, "S", "softmax"},
      {&standard, {Op::store, "s", 17}, "P", "output"},  // 16 of S, then one of P a block row
      {&standard_nosoftmax, {Op::store, "s", 6}, "S", "output"},
      {&flash1, {Op::store, "o", 2}, "O", "flash1"},
      {&flash1, {Op::store, "l", 0}, "l", "flash1"},
      {&fused_nosoftmax, {Op::store, "o", 3}, "O", "fused"},
  };
  for (const Row& row : rows) {
    const PlanPtr plan = small_plan(*row.algorithm, 8, 8);
    Script script{plan, events_of(plan)};
    script.drop(row.dropped);
    const Outcome refused = outcome(plan, script.events, true);
    CAPTURE(row.algorithm->name);
    CAPTURE(refused.message);
    CHECK(refused.kind == "schedule");
    CHECK(contains(refused.message, "before it was written"));
    CHECK(contains(refused.message, "kernel " + row.kernel));
    CHECK(contains(refused.message, ": " + row.tensor + " is read at row "));
  }
}

// ---- Sound runs ----

const std::vector<std::pair<std::int64_t, std::int64_t>> shapes = {{8, 8}, {7, 5}, {1, 1}, {3, 8}, {8, 3}};

TEST_CASE("machine: a sound run frees everything, and its peak is the plan's footprint") {
  for (const Algorithm* algorithm : algorithms()) {
    for (const auto& [n_q, n_kv] : shapes) {
      for (const char* mask : {"none", "causal", "causal+window:3"}) {
        const PlanPtr plan = small_plan(*algorithm, n_q, n_kv, mask, 2);
        const Inputs inputs = random_inputs(plan->problem(), 0);
        CAPTURE(algorithm->name);
        for (const Inputs* given : {static_cast<const Inputs*>(nullptr), &inputs}) {
          const MachineState state = end_state(plan, given);
          CHECK(state.used == std::array<std::uint64_t, max_levels>{});
          CHECK(state.allocated == 0);
          for (const std::string_view name : {"sram", "reg"}) {
            const int level = plan->config.arch.level(name);
            CHECK(state.total().peak[static_cast<std::size_t>(level)] == plan->footprint(level));
            for (std::size_t k = 0; k < plan->kernels.size(); ++k) {
              CHECK(state.counts[k].peak[static_cast<std::size_t>(level)] ==
                    plan->kernels[k].footprint(level));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("machine: a peak is the most that was ever in use") {
  const PlanPtr plan = small_plan(flash2, 2, 4);  // one CTA
  Script script{plan, events_of(plan)};
  script.move({Op::free, "s"}, {Op::normalize, "o"});
  script.move({Op::alloc, "lse"}, {Op::normalize, "o"});
  Machine machine(plan);
  for (const Event& e : script.events) machine.execute(e);
  machine.finish();
  const auto reg = static_cast<std::size_t>(plan->config.arch.level("reg"));
  CHECK(machine.state().counts[0].peak[reg] == 16 + 32 + 3 * 8);  // s o, m l alpha; later lse in place of s
}

// The machine keeps costs of events that it has seen; the sum must be that of every event by itself.
TEST_CASE("machine: counts are the costs of all events, with and without values, also across a restore") {
  for (const Algorithm* algorithm : algorithms()) {
    const PlanPtr plan = small_plan(*algorithm, 7, 5, "causal", 2);
    const Inputs inputs = random_inputs(plan->problem(), 0);
    CAPTURE(algorithm->name);
    Counts expected;
    for (const Event& e : events_of(plan)) expected.add(cost_of(e, *plan));
    for (const Inputs* given : {static_cast<const Inputs*>(nullptr), &inputs}) {
      Machine machine(plan, given);
      int n = 0;
      for (const Event& e : events_of(plan)) {
        machine.execute(e);
        if (++n % 7 != 0) continue;
        const MachineState copy = machine.state();
        machine.restore(copy);
      }
      const Counts found = machine.state().total();
      CHECK(found.events == expected.events);
      CHECK(found.bytes == expected.bytes);
      CHECK(found.flops.matmul == expected.flops.matmul);
      CHECK(found.flops.exp == expected.flops.exp);
      CHECK(found.flops.other == expected.flops.other);
    }
  }
}

// Every element's number of writes, if they are all the same; else -1.
int writes_of(const MachineState& state, const Plan& plan, std::string_view tensor) {
  const HbmTensor& values = state.hbm[static_cast<std::size_t>(plan.tensors.find(tensor))];
  const int first = values.writes(0, 0, 0);
  for (std::int64_t instance = 0; instance < values.instances(); ++instance) {
    for (std::int64_t r = 0; r < values.rows(); ++r) {
      for (std::int64_t c = 0; c < values.cols(); ++c) {
        if (values.writes(instance, r, c) != first) return -1;
      }
    }
  }
  return first;
}

TEST_CASE("machine: each output element is written as often as the algorithm says") {
  struct Row {
    const Algorithm* algorithm;
    std::string_view tensor;
    int per_pass, extra;  // writes = Tc per_pass + extra
  };
  const Row rows[] = {
      {&standard, "S", 0, 1},
      {&standard, "P", 0, 1},
      {&standard, "O", 0, 1},
      {&standard_nosoftmax, "S", 0, 1},
      {&standard_nosoftmax, "O", 0, 1},
      {&flash2, "O", 0, 1},
      {&flash2, "L", 0, 1},
      {&fused_nosoftmax, "O", 1, 0},
      {&flash1_fig2, "O", 1, 0},
      {&flash1_fig2, "l", 1, 0},
      {&flash1_fig2, "m", 1, 0},
      {&flash1, "O", 1, 1},
      {&flash1, "l", 1, 1},
      {&flash1, "m", 1, 1},
      {&flash1, "Q", 0, 1},  // inputs count as written once
  };
  for (const Row& row : rows) {
    for (const auto& [n_q, n_kv] : shapes) {
      const PlanPtr plan = small_plan(*row.algorithm, n_q, n_kv, "none", 2);
      const Inputs inputs = random_inputs(plan->problem(), 0);
      const int passes = static_cast<int>((n_kv + 1) / 2);
      CAPTURE(row.algorithm->name);
      CAPTURE(row.tensor);
      CAPTURE(passes);
      CHECK(writes_of(end_state(plan, &inputs), *plan, row.tensor) == passes * row.per_pass + row.extra);
    }
  }
  for (const Algorithm* algorithm : {&standard, &standard_nosoftmax, &flash2}) {
    const PlanPtr plan = small_plan(*algorithm, 7, 5, "causal");  // rows 0 and 1 see nothing
    const Inputs inputs = random_inputs(plan->problem(), 0);
    CHECK(writes_of(end_state(plan, &inputs), *plan, "O") == 1);
  }
}

// Every tile in a matrix of its full size, with `garbage` wherever it holds nothing valid.
MachineState littered(const MachineState& state, const Plan& plan, float garbage) {
  MachineState copy = state;
  for (std::size_t n = 0; n < copy.tiles.size(); ++n) {
    TileState& tile = copy.tiles[n];
    if (!tile.allocated) continue;
    const Tile& row = plan.kernels[static_cast<std::size_t>(copy.launch)].tiles[n];
    auto block = std::make_shared<Block>();
    block->values = Matrix::Constant(row.most_rows, row.most_cols, garbage);
    if (tile.written) {
      block->values.topLeftCorner(tile.rows, tile.cols) =
          tile.values->values.topLeftCorner(tile.rows, tile.cols);
      block->known_finite = tile.values->known_finite;
    }
    tile.values = std::move(block);
  }
  return copy;
}

// "" or the first tensor that ends up otherwise when the stale parts of tiles hold garbage.
std::string first_spoilt(const PlanPtr& plan, float garbage) {
  const Inputs inputs = random_inputs(plan->problem(), 0);
  const MachineState clean = end_state(plan, &inputs);
  Machine machine(plan, &inputs);
  for (const Event& e : events_of(plan)) {
    machine.restore(littered(machine.state(), *plan, garbage));
    machine.execute(e);
  }
  for (std::size_t n = 0; n < plan->tensors.size(); ++n) {
    if (!machine.state().hbm[n].same_as(clean.hbm[n])) return std::string(plan->tensors[n].name);
  }
  return "";
}

TEST_CASE("machine: garbage in the stale part of a tile never reaches a valid element") {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const Algorithm* algorithm : algorithms()) {
    for (const auto& [n_q, n_kv] : shapes) {
      for (const char* mask : {"none", "causal", "window:2"}) {
        const PlanPtr plan = small_plan(*algorithm, n_q, n_kv, mask);
        CAPTURE(algorithm->name);
        CAPTURE(n_q);
        CAPTURE(n_kv);
        CAPTURE(mask);
        for (const float garbage : {std::nanf(""), infinity, -infinity, 1e30f})
          CHECK(first_spoilt(plan, garbage) == "");
      }
    }
  }
}

}  // namespace
}  // namespace tilewalk
