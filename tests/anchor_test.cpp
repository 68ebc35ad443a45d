// Places in words, and events in words.
#include "sim/anchor.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/describe.h"
#include "sim/error.h"
#include "sim/parse.h"
#include "sim/trace.h"

namespace tilewalk {
namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

using PlanPtr = std::shared_ptr<const Plan>;

// 4 x 3 tiles of 2 x 2 on toy, for each of two heads.
PlanPtr small_plan(const Algorithm& algorithm, std::string_view mask = "none") {
  Problem problem;
  problem.heads = 2;
  problem.n_q = 8;
  problem.n_kv = 6;
  problem.d = 4;
  problem.dtype = DType::f32;
  problem.mask = parse_mask(mask);
  return make_plan({&algorithm, problem, {2, 2, Order::ascending}, arch_named("toy"), nullptr});
}

// ---- The same search again, over recorded events ----

constexpr int any = -7;

// `name` is a tensor's or a tile's.
struct Wanted {
  Op op;
  std::string_view tensor, tile;  // "": any
  int row = any, col = any, n = 1;
};

// Position after the n-th event that is wanted; -1 if there is none.
std::int64_t position_of(const Wanted& wanted, const std::vector<Event>& events, const Plan& plan) {
  int left = wanted.n;
  for (std::size_t n = 0; n < events.size(); ++n) {
    const Event& e = events[n];
    if (e.op != wanted.op) continue;
    if (!wanted.tensor.empty() && plan.tensors[e.tensor].name != wanted.tensor) continue;
    if (!wanted.tile.empty() && plan.kernels[e.launch].tiles[e.operand[0]].name != wanted.tile) continue;
    if ((wanted.row != any && e.row != wanted.row) || (wanted.col != any && e.col != wanted.col)) continue;
    if (--left == 0) return static_cast<std::int64_t>(n) + 1;
  }
  return -1;
}

struct Row {
  std::string words;
  Wanted wanted;
};

void check_found(const PlanPtr& plan, const std::vector<Row>& rows) {
  const std::vector<Event> events = record(plan, nullptr).events;
  Timeline timeline(plan);
  timeline.seek(5);
  for (const Row& row : rows) {
    CAPTURE(row.words);
    const std::int64_t expected = position_of(row.wanted, events, *plan);
    REQUIRE(expected > 0);
    CHECK(find_anchor(timeline, row.words) == static_cast<std::uint64_t>(expected));
  }
  CHECK(timeline.position() == 5);  // looking for a place does not go there
}

TEST_CASE("anchor: operations of flash2") {
  const std::vector<Row> rows = {
      {"load", {Op::load, "", ""}},
      {"load K", {Op::load, "K", ""}},
      {"load K 2", {Op::load, "K", "", any, 2}},
      {"load k 2", {Op::load, "", "k", any, 2}},
      {"load K 1 2", {Op::load, "K", "", 1, 2}},
      {"load K 2 #5", {Op::load, "K", "", any, 2, 5}},
      {"load K #5", {Op::load, "K", "", any, any, 5}},
      {"load #5", {Op::load, "", "", any, any, 5}},
      {"load Q 3", {Op::load, "Q", "", 3}},
      {"load q 3 #2", {Op::load, "", "q", 3, any, 2}},
      {"gemm s 1 2", {Op::gemm, "", "s", 1, 2}},
      {"gemm s 2", {Op::gemm, "", "s", 2}},
      {"gemm o 3", {Op::gemm, "", "o", 3}},
      {"gemm o 2 1 #2", {Op::gemm, "", "o", 2, 1, 2}},
      {"gemm #7", {Op::gemm, "", "", any, any, 7}},
      {"gemm 2 1", {Op::gemm, "", "", 2, 1}},
      {"alloc v", {Op::alloc, "", "v"}},
      {"free lse #8", {Op::free, "", "lse", any, any, 8}},
      {"fill m 2", {Op::fill, "", "m", 2}},
      {"online_softmax s 3 0", {Op::online_softmax, "", "s", 3, 0}},
      {"rescale o 1 1", {Op::rescale, "", "o", 1, 1}},
      {"normalize", {Op::normalize, "", ""}},
      {"store O 0 #2", {Op::store, "O", "", 0, any, 2}},
      {"store o 3", {Op::store, "", "o", 3}},
      {"store L 2", {Op::store, "L", "", 2}},
      {" \tload   K\t 2  ", {Op::load, "K", "", any, 2}},
      {"load K 002", {Op::load, "K", "", any, 2}},
  };
  check_found(small_plan(flash2), rows);
}

TEST_CASE("anchor: operations of flash1, where K is loaded outside the loop over query blocks") {
  const std::vector<Row> rows = {
      {"load K 2", {Op::load, "K", "", -1, 2}},
      {"load K 0 #2", {Op::load, "K", "", any, 0, 2}},
      {"load O 1 #3", {Op::load, "O", "", 1, any, 3}},
      {"load O 1 2", {Op::load, "O", "", 1, 2}},
      {"load l 3", {Op::load, "l", "", 3}},
      {"store m 0", {Op::store, "m", "", 0}},  // in the kernel that sets them
      {"store m 0 1", {Op::store, "m", "", 0, 1}},
      {"block_softmax s 3 1", {Op::block_softmax, "", "s", 3, 1}},
      {"merge m 1 2", {Op::merge, "", "m", 1, 2}},
      {"rescale o 1 1 #2", {Op::rescale, "", "o", 1, 1, 2}},
      {"alloc o #2", {Op::alloc, "", "o", any, any, 2}},
  };
  check_found(small_plan(flash1), rows);
}

TEST_CASE("anchor: operations of the three kernels of standard") {
  const std::vector<Row> rows = {
      {"store S 1 2", {Op::store, "S", "", 1, 2}},
      {"load S", {Op::load, "S", ""}},
      {"load S 3", {Op::load, "S", "", 3}},
      {"load s 3 0", {Op::load, "", "s", 3, 0}},
      {"mask s", {Op::mask, "", "s"}},
      {"softmax s 2", {Op::softmax, "", "s", 2}},
      {"store P 1", {Op::store, "P", "", 1}},
      {"load P 2 1", {Op::load, "P", "", 2, 1}},
      {"load p 2 1", {Op::load, "", "p", 2, 1}},
      {"load V 2 #2", {Op::load, "V", "", any, 2, 2}},
      {"gemm o", {Op::gemm, "", "o"}},
  };
  check_found(small_plan(standard, "causal"), rows);
}

TEST_CASE("anchor: start, end, the n-th event, and before the first event of a tile") {
  for (const Algorithm* algorithm : algorithms()) {
    const PlanPtr plan = small_plan(*algorithm);
    const std::vector<Event> events = record(plan, nullptr).events;
    Timeline timeline(plan);
    CAPTURE(algorithm->name);
    CHECK(find_anchor(timeline, "start") == 0);
    CHECK(find_anchor(timeline, "end") == events.size());
    CHECK(find_anchor(timeline, " end ") == events.size());
    CHECK(find_anchor(timeline, "event 0") == 0);
    CHECK(find_anchor(timeline, "event 17") == 17);
    CHECK(find_anchor(timeline, "event " + std::to_string(events.size())) == events.size());
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 3; ++j) {
        std::uint64_t before = 0;
        while (events[before].row != i || events[before].col != j) ++before;
        CHECK(find_anchor(timeline, "tile " + std::to_string(i) + " " + std::to_string(j)) == before);
      }
    }
  }
}

// ---- Refusals ----

std::string refusal(const PlanPtr& plan, const std::string& words) {
  Timeline timeline(plan);
  try {
    find_anchor(timeline, words);
  } catch (const RequestError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("anchor: a refusal names --at, the words and what to say instead") {
  struct Bad {
    std::string words, remedy;
  };
  const std::string places = "Known: start, end, event, tile, alloc, free, fill, load, store, gemm",
                    whole = "must be a whole number", none = "the run has no such event",
                    one_number = "e.g. 'event 120'", two_numbers = "e.g. 'tile 2 1'",
                    unseen = "never visits that tile";
  const PlanPtr plan = small_plan(flash2);
  const std::string events = std::to_string(record(plan, nullptr).events.size());
  const Bad rows[] = {
      {"", places},
      {"  ", places},
      {"2", places},
      {"lod K 2", "did you mean 'load'"},
      {"Load K 2", "did you mean 'load'"},
      {"strat", "did you mean 'start'"},
      {"online_softmx s", "did you mean 'online_softmax'"},
      {"start 3", "nothing may follow 'start'"},
      {"end end", "nothing may follow 'end'"},
      {"event", one_number},
      {"event x", whole},
      {"event -1", whole},
      {"event 1.5", whole},
      {"event 1 2", one_number},
      {"event 99999", "the run has " + events + " events"},
      {"event 99999999999999999999", "the run has " + events + " events"},
      {"tile", two_numbers},
      {"tile 1", two_numbers},
      {"tile 1 x", whole},
      {"tile -1 0", whole},
      {"tile 1 2 3", two_numbers},
      {"tile 4 0", unseen},
      {"tile 0 3", unseen},
      {"load X", "Known: Q, K, V"},
      {"load KK", "did you mean 'K'"},
      {"load lsee", "did you mean 'lse'"},
      {"load K x", "does not understand 'x'; say e.g. 'load K 2'"},
      {"load K -1", "does not understand '-1'"},
      {"load 2 K", "does not understand 'K'"},
      {"load K V", "does not understand 'V'"},
      {"load K 2x", whole},
      {"load K 0 1 2", "at most two block numbers"},
      {"load K #0", "counted from #1"},
      {"load K #", whole},
      {"load K #x", whole},
      {"load K #-1", whole},
      {"load K 3", none},
      {"load K 2 #9", none},
      {"load S", none},  // S never leaves the chip
      {"softmax", none},
  };
  for (const Bad& row : rows) {
    const std::string message = refusal(plan, row.words);
    CAPTURE(message);
    CHECK(message.starts_with("--at '" + row.words + "': "));
    CHECK(contains(message, row.remedy));
  }
  CHECK(contains(refusal(small_plan(flash2, "causal"), "tile 1 2"), unseen));
  CHECK(contains(refusal(small_plan(flash1), "load K 1 2"), none));
}

TEST_CASE("anchor: whatever the words, a refusal is one short line") {
  const PlanPtr plan = small_plan(flash2);
  for (const std::string& words : {std::string("lo\nad"), std::string("load\nK"), std::string("load K 1\r2"),
                                   std::string(5000, 'x'), "load " + std::string(5000, 'x'),
                                   "event " + std::string(5000, '9'), "load K " + std::string(5000, 'y')}) {
    const std::string message = refusal(plan, words);
    CAPTURE(message);
    CHECK(message.starts_with("--at '"));
    CHECK(message.find_first_of("\n\r") == std::string::npos);
    CHECK(message.size() < 500);
  }
}

TEST_CASE("anchor: a name is offered once, however many kernels have it") {
  for (const Algorithm* algorithm : algorithms()) {
    const std::string message = refusal(small_plan(*algorithm), "load nothing_like_it");
    std::string list = message.substr(message.find("Known: ") + 7) + ", ";
    std::vector<std::string> names;
    while (!list.empty()) {
      names.push_back(list.substr(0, list.find(", ")));
      list.erase(0, list.find(", ") + 2);
    }
    CAPTURE(message);
    CHECK(names.size() > 5);
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  }
}

// ---- Events in words ----

// n_q = 128, n_kv = 100 and d = 64 in blocks of 64: the last key block has 36 rows.
PlanPtr half_plan(const Algorithm& algorithm) {
  Problem problem;
  problem.n_q = 128;
  problem.n_kv = 100;
  problem.d = 64;
  problem.mask = parse_mask("causal");
  return make_plan({&algorithm, problem, {64, 64, Order::ascending}, arch_named("a100"), nullptr});
}

TEST_CASE("describe: operations and places in words") {
  struct Text {
    const Algorithm* algorithm;
    Wanted wanted;
    std::string text, place;
  };
  const std::string cta1 = "kernel flash2, CTA 1, query block 1";
  const Text rows[] = {
      {&flash2,
       {Op::alloc, "", "q"},
       "alloc q (64x64, 8192 B) in sram",
       "kernel flash2, CTA 0, query block 0"},
      {&flash2, {Op::alloc, "", "s", 1}, "alloc s (64x64, 16384 B) in reg", cta1},
      {&flash2, {Op::load, "Q", "", 1}, "load Q 1 (64x64, 8192 B): hbm -> sram", cta1},
      {&flash2, {Op::fill, "", "m", 1}, "fill m 1 with -inf", cta1},
      {&flash2, {Op::fill, "", "o", 1}, "fill o 1 with 0", cta1},
      {&flash2, {Op::load, "K", "", 1, 0}, "load K 0 (64x64, 8192 B): hbm -> sram", cta1 + ", key block 0"},
      {&flash2, {Op::load, "V", "", 1, 1}, "load V 1 (36x64, 4608 B): hbm -> sram", cta1 + ", key block 1"},
      {&flash2, {Op::gemm, "", "s", 1, 1}, "gemm s 1 1 (64x36x64)", cta1 + ", key block 1"},
      {&flash2, {Op::mask, "", "s", 1, 1}, "mask s 1 1 (64x36)", cta1 + ", key block 1"},
      {&flash2, {Op::online_softmax, "", "s", 1, 1}, "online_softmax s 1 1 (64x36)", cta1 + ", key block 1"},
      {&flash2, {Op::rescale, "", "o", 1, 1}, "rescale o 1 (64x64)", cta1 + ", key block 1"},
      {&flash2, {Op::gemm, "", "o", 1, 1}, "gemm o 1 (64x64x36)", cta1 + ", key block 1"},
      {&flash2, {Op::normalize, "", "o", 1}, "normalize o 1 (64x64)", cta1},
      {&flash2, {Op::store, "O", "", 1}, "store O 1 (64x64, 8192 B): reg -> hbm", cta1},
      {&flash2, {Op::store, "L", "", 1}, "store L 1 (64x1, 256 B): reg -> hbm", cta1},
      {&flash2, {Op::free, "", "k", 1}, "free k", cta1},
      {&flash1,
       {Op::store, "O", "", 1},
       "store O 1 (64x64, 16384 B): sram -> hbm",
       "kernel init, CTA 1, query block 1"},
      {&flash1,
       {Op::load, "K", "", any, 1},
       "load K 1 (36x64, 4608 B): hbm -> sram",
       "kernel flash1, CTA 0, key block 1"},
      {&flash1,
       {Op::merge, "", "m", 1, 0},
       "merge m 1 (64x1)",
       "kernel flash1, CTA 0, query block 1, key block 0"},
      {&flash1, {Op::free, "", "beta"}, "free beta", "kernel flash1, CTA 0"},
      {&flash1_fig2,
       {Op::load, "l", "", 1, 1},
       "load l 1 (64x1, 256 B, not counted): hbm -> sram",
       "kernel flash1, CTA 0, query block 1, key block 1"},
      {&standard,
       {Op::store, "S", "", 1, 1},
       "store S 1 1 (64x36, 4608 B): sram -> hbm",
       "kernel scores, CTA 1, query block 1, key block 1"},
      {&standard,
       {Op::softmax, "", "s", 1},
       "softmax s 1 0 (64x100)",
       "kernel softmax, CTA 1, query block 1, key block 0"},
      {&standard,
       {Op::load, "P", "", 1, 1},
       "load P 1 1 (64x36, 4608 B): hbm -> sram",
       "kernel output, CTA 1, query block 1, key block 1"},
  };
  for (const Text& row : rows) {
    const PlanPtr plan = half_plan(*row.algorithm);
    const std::vector<Event> events = record(plan, nullptr).events;
    CAPTURE(row.text);
    const std::int64_t position = position_of(row.wanted, events, *plan);
    REQUIRE(position > 0);
    const Event& e = events[static_cast<std::size_t>(position - 1)];
    CHECK(describe(e, *plan) == row.text);
    CHECK(describe_place(e, *plan) == row.place);
  }
}

// "load K 2 (64x64, 8192 B): hbm -> sram" begins with words that find_anchor knows.
TEST_CASE("describe: the words of every event lead to an event of the same words") {
  for (const Algorithm* algorithm : algorithms()) {
    const PlanPtr plan = small_plan(*algorithm, "causal");
    const std::vector<Event> events = record(plan, nullptr).events;
    Timeline timeline(plan);
    const auto words_of = [&](const Event& e) {
      const std::string text = describe(e, *plan);
      return text.substr(0, std::min(text.find(" ("), text.find(" with ")));
    };
    for (std::size_t n = 0; n < events.size(); ++n) {
      const std::string words = words_of(events[n]);
      const std::uint64_t found = find_anchor(timeline, words);
      CAPTURE(words);
      REQUIRE(found >= 1);
      REQUIRE(found <= n + 1);  // the first of its kind
      REQUIRE(words_of(events[found - 1]) == words);
    }
  }
}

TEST_CASE("describe: an event's line in its schedule's source is the verb that made it") {
  for (const Algorithm* algorithm : algorithms()) {
    CAPTURE(algorithm->name);
    std::string_view text = schedule_source(algorithm->file);
    std::vector<std::string_view> lines;
    while (!text.empty()) lines.push_back(take_line(text));
    REQUIRE(lines.size() > 20);
    for (const Event& e : record(small_plan(*algorithm, "causal"), nullptr).events) {
      const std::string name = name_of(e.op);
      CAPTURE(name);
      CAPTURE(e.line);
      REQUIRE(e.line >= 1);
      REQUIRE(e.line <= lines.size());
      const std::string_view line = lines[e.line - 1u];
      CHECK((contains(line, "e." + name + "(") || contains(line, "e." + name + "_add(")));
    }
  }
}

TEST_CASE("describe: the hash of a source is FNV-1a") {
  CHECK(source_hash("") == 0xcbf29ce484222325u);  // published test vectors
  CHECK(source_hash("a") == 0xaf63dc4c8601ec8cu);
  CHECK(source_hash("foobar") == 0x85944171f73967e8u);
  CHECK(source_hash("\xff") == 0xaf64724c8602eb6eu);
  CHECK(schedule_source("no_such_file.cpp") == "");
}

}  // namespace
}  // namespace tilewalk
