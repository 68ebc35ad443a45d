// Time travel: whatever way a position is reached, the state there is the same, bit for bit.
#include <doctest/doctest.h>

#include <random>

#include "sim/emitter.h"
#include "sim/timeline.h"
#include "tests/plans.h"

using namespace tilewalk;

namespace {

// States of a run that is only ever walked forward.
std::vector<MachineState> linear_states(const std::shared_ptr<const Plan>& plan, const Inputs* inputs) {
  Machine machine(plan, inputs);
  std::vector<MachineState> states{machine.state()};
  auto take = [&](const Event& e) {
    machine.execute(e);
    states.push_back(machine.state());
  };
  for (std::size_t k = 0; k < plan->kernels.size(); ++k) {
    for (std::int64_t cta = 0; cta < plan->kernels[k].ctas; ++cta) run_cta(*plan, k, cta, Sink(take));
  }
  return states;
}

void check_time_travel(const std::string& algorithm, const Problem& p, std::int64_t block, bool values) {
  INFO(algorithm);
  const Inputs inputs = random_inputs(p, 3);
  const auto plan = plan_of(algorithm, p, block, block);
  const auto states = linear_states(plan, values ? &inputs : nullptr);
  Timeline timeline(plan, values ? &inputs : nullptr);
  REQUIRE(timeline.size() + 1 == states.size());
  const auto same = [&] { return timeline.state().same_as(states[timeline.position()]); };
  timeline.prepare();
  CHECK(timeline.position() == 0);
  timeline.seek(timeline.size());
  while (timeline.position() > 0) {  // back from every position
    REQUIRE(same());
    timeline.step_back();
  }
  CHECK(same());
  std::mt19937 random(5);
  for (int n = 0; n < 200; ++n) {
    timeline.seek(random() % (timeline.size() + 1));
    REQUIRE(same());
  }
}

}  // namespace

TEST_CASE("stepping back from every position and 200 random seeks reproduce the linear run") {
  for (const auto name : algorithm_names()) {
    Problem p = problem_of({22, 19, 8}, DType::f16, "causal");
    p.heads = 2;
    p.kv_heads = 1;
    check_time_travel(std::string(name), p, 8, true);
    check_time_travel(std::string(name), p, 8, false);
  }
}

TEST_CASE("seeks through many snapshots") {
  // Enough work for several snapshots; compared at a few hundred positions.
  const Problem p = problem_of({512, 512, 64}, DType::f16);
  const Inputs inputs = random_inputs(p, 1);
  for (const std::string name : {"standard", "flash1", "flash2"}) {
    const auto plan = plan_of(name, p, 64, 64);
    Timeline forward(plan, &inputs), jumping(plan, &inputs);
    jumping.prepare();
    CHECK(jumping.snapshots() > 3);
    std::mt19937 random(2);
    std::vector<std::uint64_t> positions;
    for (int n = 0; n < 60; ++n) positions.push_back(random() % (forward.size() + 1));
    auto shuffled = positions;
    std::sort(positions.begin(), positions.end());
    std::map<std::uint64_t, MachineState> states;
    for (const auto at : positions) {
      forward.seek(at);
      states.emplace(at, forward.state());
    }
    for (const auto at : shuffled) {
      jumping.seek(at);
      CHECK(jumping.state().same_as(states.at(at)));
    }
  }
}

TEST_CASE("the four step sizes tile the run, forward and back") {
  const Problem p = problem_of({20, 20, 8}, DType::f32, "causal");
  for (const auto name : algorithm_names()) {
    Timeline timeline(plan_of(std::string(name), p, 8, 8));
    std::uint64_t coarser = 0;
    for (const StepSize size :
         {StepSize::kernel, StepSize::inner_loop, StepSize::tile, StepSize::operation}) {
      INFO(std::string(name), " ", int(size));
      std::vector<std::uint64_t> stops{0};
      while (stops.back() < timeline.size()) stops.push_back(timeline.after_step(stops.back(), size));
      for (std::size_t n = stops.size() - 1; n > 0; --n)
        CHECK(timeline.before_step(stops[n], size) == stops[n - 1]);
      CHECK(timeline.before_step(0, size) == 0);
      CHECK(timeline.after_step(timeline.size(), size) == timeline.size());
      CHECK(stops.size() >= coarser);
      coarser = stops.size();
      if (size == StepSize::kernel) CHECK(stops.size() == timeline.plan().kernels.size() + 1);
      if (size == StepSize::operation) CHECK(stops.size() == timeline.size() + 1);
    }
  }
}

TEST_CASE("tile steps of flash2 stop at each visited tile") {
  Timeline timeline(plan_of("flash2", problem_of({24, 24, 8}, DType::f32, "causal"), 8, 8));
  std::vector<std::pair<int, int>> tiles;
  for (std::uint64_t at = 0; at < timeline.size(); at = timeline.after_step(at, StepSize::tile)) {
    const Event e = timeline.event(at);
    if (e.col >= 0) tiles.emplace_back(e.row, e.col);
  }
  CHECK(tiles == std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}});
}

TEST_CASE("every event can be asked for, in any order, and located") {
  Problem p = problem_of({40, 70, 8}, DType::f16, "causal");
  p.heads = p.kv_heads = 3;
  for (const auto name : algorithm_names()) {
    const auto plan = plan_of(std::string(name), p, 8, 8);
    Timeline timeline(plan);
    std::vector<Event> events;
    timeline.each(0, timeline.size(), [&](const Event& e) { events.push_back(e); });
    REQUIRE(events.size() == timeline.size());
    std::mt19937 random(1);
    for (int n = 0; n < 300; ++n) {
      const std::uint64_t at = random() % timeline.size();
      CHECK(timeline.event(at) == events[at]);
      const Location place = timeline.locate(at);
      CHECK(place.launch == events[at].launch);
      CHECK(place.cta == events[at].cta);
      CHECK((place.index == 0) ==
            (at == 0 || events[at - 1].cta != events[at].cta || events[at - 1].launch != events[at].launch));
    }
  }
}

TEST_CASE("N = 65536 is travelled without storing events") {
  for (const std::string name : {"flash2", "flash1", "standard"}) {
    Problem p = problem_of({65536, 65536, 64}, DType::f16);
    Timeline timeline(plan_of(name, p, 128, 128));
    timeline.prepare();
    for (const double part : {0.1, 0.77, 0.5, 0.999}) {
      timeline.seek(std::uint64_t(part * double(timeline.size())));
      CHECK(timeline.state().total().events == timeline.position());
    }
    const std::uint64_t at = timeline.position();
    timeline.step_back();
    timeline.step();
    CHECK(timeline.position() == at);
  }
}

TEST_CASE("snapshots stay bounded in number, however long the run") {
  const Problem p = problem_of({1024, 1024, 64}, DType::f32);
  const Inputs inputs = random_inputs(p, 1);
  Timeline timeline(plan_of("flash1", p, 1, 8), &inputs);
  timeline.prepare();
  CHECK(timeline.snapshots() <= 769);
  Timeline counting(plan_of("flash1", problem_of({65536, 65536, 64}), 64, 64));
  counting.prepare();
  CHECK(counting.snapshots() <= 769);
}

TEST_CASE("a long way can be left in the middle, and gone on with") {
  const Problem p = problem_of({256, 256, 32}, DType::f32);
  const Inputs inputs = random_inputs(p, 1);
  const auto plan = plan_of("flash1", p, 4, 4);
  Timeline timeline(plan, &inputs), sound(plan, &inputs);
  int calls = 0;
  CHECK_THROWS_AS(timeline.seek(timeline.size(),
                                [&](double) {
                                  if (++calls == 5) throw std::runtime_error("enough");
                                }),
                  std::runtime_error);
  CHECK(timeline.position() < timeline.size());
  sound.seek(sound.size());
  timeline.seek(timeline.size());
  CHECK(timeline.state().same_as(sound.state()));
}

TEST_CASE("an empty problem has an empty timeline, or one that only stores zeros") {
  for (const auto name : algorithm_names()) {
    for (const Shape shape : {Shape{0, 0, 4}, Shape{0, 5, 4}, Shape{5, 0, 4}}) {
      const Problem p = problem_of(shape);
      const Inputs inputs = random_inputs(p, 0);
      Timeline timeline(plan_of(std::string(name), p, 2, 2), &inputs);
      timeline.prepare();
      timeline.seek(timeline.size());
      CHECK(timeline.position() == timeline.size());
    }
  }
}
