// The memory view: what stands where, what moves, and what is never there.
#include <doctest/doctest.h>

#include <random>

#include "tests/viz_stage.h"
#include "viz/numbers.h"
#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/views.h"
#include "viz/written.h"

using namespace tilewalk;
using namespace tilewalk::viz;

namespace {

const ImVec2 size{1920, 1080};

// As it is read back from a picture: spaces that do not break are spaces.
std::string plain(std::string text) {
  for (std::size_t at = text.find("\u00A0"); at != std::string::npos; at = text.find("\u00A0"))
    text.replace(at, 2, " ");
  return text;
}

bool fuses(const std::string& algorithm) { return algorithm.find("standard") == std::string::npos; }

}  // namespace

TEST_CASE("every tensor of HBM and every tile of the kernel is named, wherever the run is") {
  std::mt19937 random(7);
  for (const auto name : algorithm_names()) {
    for (const bool count_only : {false, true}) {
      RunRequest request = small_request(std::string(name));
      request.count_only = count_only;
      Stage stage({request});
      for (int n = 0; n < 5; ++n) {
        stage.app.apply(Seek{1 + random() % stage.run().facts.size});
        stage.draw(size);
        const RunFrame run = stage.run();
        INFO(name, count_only ? " counted" : "", " at ", run.moment.position);
        const Plan& plan = run.plan();
        for (const Tensor& tensor : plan.tensors) {
          if (tensor.level == plan.config.arch.level("hbm")) CHECK(stage.shows(letter_of(tensor.name)));
        }
        for (const Tile& tile : plan.kernels[run.moment.location.launch].tiles) {
          if (tile.cols != Axis::one) CHECK(stage.shows(letter_of(tile.name)));
        }
        const bool absent = stage.shows("never written to");
        CHECK(absent == fuses(std::string(name)));
      }
    }
  }
}

TEST_CASE("a load shows its bytes and what it is, and the link what has passed over it") {
  Stage stage({small_request("flash2")});
  stage.app.apply(SeekWords{"load V 2"});
  stage.draw(size);
  const RunFrame run = stage.run();
  REQUIRE(run.moment.done->op == Op::load);
  CHECK(stage.shows("256 B"));  // 8 x 16 of f16
  CHECK(stage.shows("load V 2 · 8×16 f16"));
  const auto hbm = std::size_t(run.plan().config.arch.level("hbm"));
  const Counts counts = run.moment.state.total();
  CHECK(stage.shows("loaded " + plain(grouped(counts.total(int(hbm), false))) + " B"));
  CHECK(stage.shows("stored " + plain(grouped(counts.total(int(hbm), true))) + " B"));
  CHECK(stage.shows(plain(amount(run.moment.state.used[std::size_t(run.plan().config.arch.level("sram"))])) +
                    " of 163"));
  stage.app.apply(SeekWords{"store O 2"});
  stage.draw(size);
  CHECK(stage.shows("store O 2 · 8×16 f16"));
}

TEST_CASE("a tile that is on its way lies between its ends, and has arrived at the end") {
  Stage stage({small_request("flash2")});
  stage.app.apply(SetTheme{ThemeName::dark});
  stage.app.apply(SeekWords{"load V 2"});
  stage.draw(size);
  const auto place = [&] {
    for (const DrawnText& text : stage.texts) {
      if (text.text == "256 B" && text.colour == theme_of(ThemeName::dark).panel) return text.box.centre();
    }
    return ImVec2{0, 0};
  };
  const ImVec2 arrived = place();
  // Half a flight: the app has just taken the step, and half of its time has passed.
  stage.app.apply(SetStepSize{StepSize::operation});
  stage.app.apply(Step{-1});
  stage.draw(size);
  stage.app.apply(Step{1});
  while (stage.app.frame({}).runs.front().busy) stage.app.update(0);
  stage.app.update(0.1);
  stage.data = stage.ui.draw_still(stage.app, size);
  stage.texts = drawn_texts(*stage.data, stage.ui.atlas());
  const ImVec2 midway = place();
  REQUIRE(arrived.y > 0);
  REQUIRE(midway.y > 0);
  CHECK(midway.y > arrived.y + 5);  // a load goes up
}

// Without values, what is written follows from the bytes stored; with them it is known.
TEST_CASE("which blocks are written is the same whether values are kept or not") {
  for (const auto name : algorithm_names()) {
    for (const Order order : {Order::ascending, Order::descending}) {
      RunRequest request = small_request(std::string(name));
      request.problem.n_q = 28;  // a ragged edge
      request.problem.n_kv = 36;
      request.problem.heads = request.problem.kv_heads = 2;
      request.tiling.order = order;
      LoadedRun with = load_run(request);
      request.count_only = true;
      LoadedRun without = load_run(request);
      for (std::uint64_t p = 0; p <= with.facts->size; p += 1) {
        const Moment a = moment_at(with.timeline, p), b = moment_at(without.timeline, p);
        const RunFrame kept{*with.facts, a}, counted{*without.facts, b};
        const Plan& plan = *with.facts->plan;
        for (std::size_t t = 0; t < plan.tensors.size(); ++t) {
          // m and l that are not counted follow O, which is stored an event or two earlier.
          if (plan.tensors[t].level != plan.config.arch.level("hbm") || !plan.tensors[t].counted) continue;
          const BlockGrid blocks = blocks_of_tensor(plan, plan.tensors[t]);
          const Written x(kept, t), y(counted, t);
          for (std::int64_t i = 0; i < blocks.rows; ++i) {
            for (std::int64_t j = 0; j < blocks.cols; ++j) {
              if (x.block(i, j) == y.block(i, j)) continue;
              FAIL_CHECK(name, " order ", int(order), " at ", p, ": ", plan.tensors[t].name, " ", i, " ", j);
              return;
            }
          }
        }
      }
    }
  }
}

TEST_CASE("numbers are short, with a true minus sign") {
  CHECK(number(4.1743f) == "4.174");
  CHECK(number(-12.345f) == "−12.35");
  CHECK(number(3.2e-7f) == "3.2e−7");
  CHECK(number(0) == "0");
  CHECK(number(-INFINITY) == "−∞");
  CHECK(number(NAN) == "NaN");
  CHECK(short_number(0.125f, 4) == ".125");
  CHECK(short_number(-0.126f, 4) == "−.13");
  CHECK(short_number(12345.0f, 3).empty());
  CHECK(amount(96) == "96\u00A0B");
  CHECK(amount(163 * 1024) == "163\u00A0KiB");
  CHECK(amount(29082) == "28.4\u00A0KiB");
  CHECK(amount(40'000'000'000) == "40\u00A0GB");
}
