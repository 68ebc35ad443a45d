// Recorded runs: exact text, comparison, and every planted fault found where it first shows.
#include <doctest/doctest.h>

#include <random>

#include "sim/compare.h"
#include "sim/describe.h"
#include "sim/error.h"
#include "tests/plans.h"

using namespace tilewalk;

namespace {

Trace trace_of(const std::string& algorithm, const Problem& p, std::int64_t bq, std::int64_t bkv,
               const std::string& fault = "") {
  const Inputs inputs = random_inputs(p, 3);
  return record(plan_of(algorithm, p, bq, bkv, fault), &inputs);
}

bool same(const Trace& a, const Trace& b) {
  return format_trace(a) == format_trace(b) && a.events == b.events;
}

struct Place {
  int row, col;
  bool operator==(const Place& other) const { return row == other.row && col == other.col; }
};

// Where a fault must first show in values, worked out by hand for 60 x 60 causal in 16 x 16 tiles.
struct Case {
  std::string fault;
  bool changes_flow, changes_values;
  Place first;
};

}  // namespace

TEST_CASE("traces round-trip, values and lines included") {
  for (const auto name : algorithm_names()) {
    for (const DType dtype : {DType::f32, DType::f16}) {
      Problem p = problem_of({21, 34, 8}, dtype, "causal");
      p.heads = 2;
      p.kv_heads = 1;
      const Trace trace = trace_of(std::string(name), p, 8, 16);
      REQUIRE(!trace.records.empty());
      const Trace again = parse_trace(format_trace(trace), "test");
      CHECK(same(trace, again));
      CHECK(again.events.back().line == trace.events.back().line);
      CHECK(again.header == trace.header);
      REQUIRE(again.records.size() == trace.records.size());
      for (std::size_t n = 0; n < trace.records.size(); ++n) {
        for (std::size_t t = 0; t < trace.records[n].tiles.size(); ++t) {
          CHECK(again.records[n].tiles[t].values == trace.records[n].tiles[t].values);
        }
      }
    }
  }
}

TEST_CASE("non-finite values survive the text") {
  const Problem p = problem_of({239, 1, 4}, DType::f32, "causal");  // rows that see nothing: m = -inf
  const Trace trace = trace_of("flash1", p, 256, 1);
  CHECK(format_trace(trace).find("-inf") != std::string::npos);
  CHECK(same(trace, parse_trace(format_trace(trace), "test")));
}

TEST_CASE("a run agrees with itself") {
  for (const auto name : algorithm_names()) {
    const Problem p = problem_of({60, 50, 16}, DType::bf16, "causal");
    const Inputs inputs = random_inputs(p, 3);
    const auto plan = plan_of(std::string(name), p, 16, 8);
    const TraceDiff diff = compare(*plan, inputs, record(plan, &inputs), record(plan, &inputs));
    CHECK(diff.agrees());
    for (const auto& [tile, times] : diff.worst) CHECK(times == 0);
  }
}

TEST_CASE("every fault is caught at the first wrong tile, at least four times beyond what is allowed") {
  const Case flash[] = {{"no_rescale", true, true, {1, 1}},         {"per_tile_softmax", false, true, {0, 0}},
                        {"stale_max", false, true, {1, 1}},         {"skip_tail_mask", false, true, {3, 3}},
                        {"causal_off_by_one", false, true, {0, 0}}, {"stale_tile", true, true, {1, 1}},
                        {"double_load", true, false, {0, 0}}};
  const Case unfused[] = {{"causal_off_by_one", false, true, {0, 0}},
                          {"stale_tile", true, true, {-1, 1}},
                          {"double_load", true, false, {0, 0}}};
  int faults_tried = 0;
  for (const Algorithm* algorithm : algorithms()) {
    const std::string name(algorithm->name);
    const bool is_flash = name.starts_with("flash");
    const std::span<const Case> cases =
        is_flash ? std::span<const Case>(flash) : std::span<const Case>(unfused);
    REQUIRE(cases.size() == algorithm->faults.size());  // a new fault needs a line here
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
      const Problem p = problem_of({60, 60, 16}, dtype, "causal");
      const Inputs inputs = random_inputs(p, 3);
      const auto sound = plan_of(name, p, 16, 16);
      const Trace expected = record(sound, &inputs);
      for (const Case& c : cases) {
        INFO(name, " ", c.fault, " ", std::string(name_of(dtype)));
        const TraceDiff diff =
            compare(*sound, inputs, expected, record(plan_of(name, p, 16, 16, c.fault), &inputs));
        CHECK(!diff.agrees());
        CHECK(diff.flow.has_value() == c.changes_flow);
        REQUIRE(diff.value.has_value() == c.changes_values);
        if (!c.changes_values) continue;
        const Place found{diff.value->row, diff.value->col};
        // standard computes masked tiles too, so a stale K shows in the first query block; fused, in the
        // first that sees it.
        const int first_row = c.first.row >= 0 ? c.first.row : name == "standard" ? 0 : 1;
        CHECK(found == Place{first_row, c.first.col});
        CHECK(diff.value->times_allowed() >= 4);
        ++faults_tried;
      }
    }
  }
  CHECK(faults_tried == 3 * (3 * 6 + 3 * 2));
}

TEST_CASE("a fault that cannot show here, or that the algorithm has not, is refused") {
  const auto refused = [](const std::string& algorithm, const Problem& p, const std::string& fault) {
    try {
      plan_of(algorithm, p, 16, 16, fault);
    } catch (const RequestError& e) {
      return std::string(e.what()).find("--fault") != std::string::npos;
    }
    return false;
  };
  CHECK(refused("flash2", problem_of({60, 16, 8}), "no_rescale"));         // one key block
  CHECK(refused("flash2", problem_of({60, 32, 8}), "skip_tail_mask"));     // no tail
  CHECK(refused("flash2", problem_of({60, 60, 8}), "causal_off_by_one"));  // not causal
  CHECK(refused("standard", problem_of({60, 60, 8}), "no_rescale"));       // nothing to rescale
  CHECK_THROWS_AS(fault_named("no_rescaling"), RequestError);
}

TEST_CASE("a changed value or a changed byte count is found at its tile") {
  const Problem p = problem_of({60, 60, 16}, DType::f16);
  const Inputs inputs = random_inputs(p, 3);
  const auto plan = plan_of("flash2", p, 16, 16);
  const Trace sound = record(plan, &inputs);
  Trace changed = sound;
  TileRecord& tile = changed.records[9];
  tile.tiles[2].values[17] += 1;
  TraceDiff diff = compare(*plan, inputs, sound, changed);
  REQUIRE(diff.value);
  CHECK(diff.value->cta == tile.cta);
  CHECK(diff.value->row == tile.row);
  CHECK(diff.value->col == tile.col);
  CHECK(diff.value->tile == "o");
  changed = sound;
  for (Event& e : changed.events) {
    if (e.op == Op::load && e.cta == 2 && e.col == 3) e.rows -= 1;
  }
  diff = compare(*plan, inputs, sound, changed);
  REQUIRE(diff.flow);
  CHECK(diff.flow->cta == 2);
  CHECK(diff.flow->col == 3);
  changed.events.pop_back();
  CHECK(!compare(*plan, inputs, sound, changed).agrees());
}

TEST_CASE("order between CTAs is free, order inside one is not") {
  const Problem p = problem_of({48, 32, 8}, DType::f16);
  const Inputs inputs = random_inputs(p, 3);
  const auto plan = plan_of("flash2", p, 16, 16);
  const Trace sound = record(plan, &inputs);
  Trace shuffled = sound;
  std::stable_sort(shuffled.events.begin(), shuffled.events.end(),
                   [](const Event& a, const Event& b) { return a.cta > b.cta; });
  CHECK(compare(*plan, inputs, sound, shuffled).agrees());
  std::swap(shuffled.events[10], shuffled.events[11]);
  CHECK(!compare(*plan, inputs, sound, shuffled).agrees());
}

TEST_CASE("golden: the trace of the smallest flash2 run") {
  Problem p = problem_of({2, 4, 2}, DType::f32);
  const Trace trace = record(plan_of("flash2", p, 2, 2), nullptr);
  std::string text;
  for (const Event& e : trace.events) text += describe(e, *plan_of("flash2", p, 2, 2)) + "\n";
  CHECK(text ==
        "alloc q (2x2, 16 B) in sram\nalloc k (2x2, 16 B) in sram\nalloc v (2x2, 16 B) in sram\n"
        "alloc s (2x2, 16 B) in reg\nalloc m (2x1, 8 B) in reg\nalloc l (2x1, 8 B) in reg\nalloc alpha (2x1, "
        "8 B) in reg\n"
        "alloc o (2x2, 16 B) in reg\nalloc lse (2x1, 8 B) in reg\n"
        "load Q 0 (2x2, 16 B): hbm -> sram\nfill m 0 with -inf\nfill l 0 with 0\nfill o 0 with 0\n"
        "load K 0 (2x2, 16 B): hbm -> sram\nload V 0 (2x2, 16 B): hbm -> sram\ngemm s 0 0 (2x2x2)\n"
        "online_softmax s 0 0 (2x2)\nrescale o 0 (2x2)\ngemm o 0 (2x2x2)\n"
        "load K 1 (2x2, 16 B): hbm -> sram\nload V 1 (2x2, 16 B): hbm -> sram\ngemm s 0 1 (2x2x2)\n"
        "online_softmax s 0 1 (2x2)\nrescale o 0 (2x2)\ngemm o 0 (2x2x2)\n"
        "normalize o 0 (2x2)\nstore O 0 (2x2, 16 B): reg -> hbm\nstore L 0 (2x1, 8 B): reg -> hbm\n"
        "free q\nfree k\nfree v\nfree s\nfree m\nfree l\nfree alpha\nfree o\nfree lse\n");
}

TEST_CASE("damaged traces are refused with their line, never worse") {
  const std::string text =
      format_trace(trace_of("flash2", problem_of({9, 9, 4}, DType::f16, "causal"), 4, 4));
  const auto message = [](const std::string& bad) -> std::string {
    try {
      parse_trace(bad, "x.trace");
    } catch (const RequestError& e) {
      return e.what();
    }
    return "";
  };
  CHECK(message("").find("x.trace, line 1") != std::string::npos);
  CHECK(message("tilewalk-trace 2\n").find("line 1") != std::string::npos);
  CHECK(message("tilewalk-trace 1\nevent 0 0\n").find("line 2") != std::string::npos);
  CHECK(message("tilewalk-trace 1\nkernel k a\nafter 0 0 0 0 a 1000000 1000000 1 2\n").find("fewer values") !=
        std::string::npos);
  std::mt19937 random(4);
  int refused = 0;
  for (int n = 0; n < 4000; ++n) {
    std::string bad = text;
    for (int edits = 1 + int(random() % 3); edits > 0; --edits) {
      const std::size_t at = random() % bad.size();
      switch (random() % 4) {
        case 0: bad[at] = char(random() % 256); break;
        case 1: bad.erase(at, 1 + random() % 40); break;
        case 2: bad.insert(at, std::string(1 + random() % 3, "0-9 .,#e\n"[random() % 9])); break;
        default: bad.resize(at + 1); break;
      }
    }
    try {
      parse_trace(bad, "x.trace");
    } catch (const RequestError&) {
      ++refused;
    }
  }
  CHECK(refused > 500);
}
