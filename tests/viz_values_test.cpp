// The tiles and merge views: their numbers against arithmetic done here.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "lessons/heads.h"
#include "sim/fault.h"
#include "sim/softmax.h"
#include "tests/colour_vision.h"
#include "tests/viz_stage.h"
#include "tests/viz_texts.h"
#include "viz/formula.h"
#include "viz/heat_map.h"
#include "viz/numbers.h"
#include "viz/row_merge.h"
#include "viz/row_path.h"
#include "viz/tile_values.h"
#include "viz/tile_words.h"
#include "viz/views.h"

using namespace tilewalk;
using namespace tilewalk::viz;

namespace {

const ImVec2 size{1920, 1080};

// One row of online softmax in double, key block by key block; of the random inputs of the small request.
struct Oracle {
  std::vector<double> m, l;
};

Oracle oracle_of(const RunFrame& run, std::int64_t row) {
  const Problem& p = run.plan().problem();
  const Inputs& in = *run.facts.inputs;
  const std::int64_t block = run.plan().config.tiling.block_kv;
  Oracle oracle;
  double m = -INFINITY, l = 0;
  for (std::int64_t first = 0; first < p.n_kv; first += block) {
    bool seen = false;
    double m_new = m;
    std::vector<double> scores;
    for (std::int64_t j = first; j < std::min(first + block, p.n_kv); ++j) {
      if (!p.visible(row, j)) continue;
      double s = 0;
      for (std::int64_t c = 0; c < p.d; ++c)
        s += double(in.q[std::size_t(row * p.d + c)]) * double(in.k[std::size_t(j * p.d + c)]);
      scores.push_back(s * double(p.scale));
      m_new = std::max(m_new, scores.back());
      seen = true;
    }
    if (!seen) break;  // causal: nothing more comes
    l *= m == -INFINITY ? 0 : std::exp(m - m_new);
    for (const double s : scores) l += std::exp(s - m_new);
    m = m_new;
    oracle.m.push_back(m);
    oracle.l.push_back(l);
  }
  return oracle;
}

// 8 rows of d = 4 in tiles of 2.
RunRequest toy_request(const std::string& algorithm) {
  RunRequest request = small_request(algorithm);
  request.arch = arch_named("toy");
  request.problem.n_q = request.problem.n_kv = 8;
  request.problem.d = 4;
  request.problem.dtype = DType::f32;
  request.tiling.block_q = request.tiling.block_kv = 2;
  return request;
}

}  // namespace

TEST_CASE("the merge of a row: before, tile and after are those of online softmax done by hand") {
  for (const char* name : {"flash2", "flash1", "flash1_fig2"}) {
    Stage stage({small_request(name)});
    const std::int64_t row = 29;  // of query block 3
    stage.app.apply(SelectRow{row});
    const Oracle oracle = oracle_of(stage.run(), row);
    for (std::int64_t j = 0; j < 4; ++j) {
      stage.app.apply(SeekWords{"gemm o 3 " + std::to_string(j)});
      stage.draw(size);
      const Frame frame = stage.app.frame({});
      const RowMerge merge = row_merge(frame, frame.runs.front());
      INFO(name, " key block ", j);
      const bool blocks = std::string_view(name) != "flash2";
      REQUIRE(merge.kind == (blocks ? MergeKind::blocks : MergeKind::online));
      const auto at = std::size_t(j);
      const double before = j == 0 ? -INFINITY : oracle.m[at - 1];
      if (j > 0) CHECK(*merge.m == doctest::Approx(before).epsilon(1e-4));
      if (j == 0) CHECK(*merge.m == -infinity);
      CHECK(*merge.l == doctest::Approx(j == 0 ? 0 : oracle.l[at - 1]).epsilon(1e-4));
      CHECK(*merge.m_new == doctest::Approx(oracle.m[at]).epsilon(1e-4));
      CHECK(*merge.l_new == doctest::Approx(oracle.l[at]).epsilon(1e-3));
      CHECK(*merge.alpha == doctest::Approx(std::exp(before - oracle.m[at])).epsilon(1e-3));
      CHECK(std::max(double(*merge.m), double(*merge.m_tile)) == doctest::Approx(oracle.m[at]).epsilon(1e-4));
      CHECK(merge.o.size() == 16);
      for (const viz::Value& value : {merge.m, merge.m_tile, merge.m_new, merge.alpha, merge.l, merge.l_new})
        CHECK(stage.shows(number(*value)));
    }
  }
}

TEST_CASE("what the mask is going to hide has no say in the tile's maximum") {
  Stage stage({small_request("flash2")});
  stage.app.apply(SelectRow{25});  // sees 2 of the 8 keys of the tile on the diagonal
  stage.app.apply(SeekWords{"gemm s 3 3"});
  const RunFrame run = stage.run();
  const Frame frame = stage.app.frame({});
  const RowMerge ahead = row_merge(frame, run);
  const auto scores = row_in(run.moment.state, find_scores(run), 1);
  REQUIRE(ahead.m_tile);
  CHECK(*ahead.m_tile == std::max(scores[0], scores[1]));
  CHECK(ahead.s[2] == -infinity);
}

TEST_CASE("the path of a row over key blocks is online softmax done by hand, and knows how far it is") {
  for (const char* name : {"flash2", "flash1"}) {
    Stage stage({small_request(name)});
    stage.app.apply(SeekWords{"gemm o 3 1"});
    const RunFrame run = stage.run();
    const Oracle oracle = oracle_of(run, 29);
    const RowPath path = row_path(run, 29);
    REQUIRE(path.m.size() == oracle.m.size());
    CHECK(path.done == 2);
    // After its last key block, O is what the run ends with.
    const RowPath with_o = row_path(run, 29, true);
    REQUIRE(with_o.o.size() == 16 * path.m.size());
    stage.app.apply(SeekEnd{true});
    const RunFrame end = stage.run();
    const HbmTensor& o = end.moment.state.hbm[std::size_t(end.plan().tensors.find("O"))];
    for (std::int64_t c = 0; c < 16; ++c)
      CHECK(with_o.o[with_o.o.size() - 16 + std::size_t(c)] == doctest::Approx(o.at(0, 29, c)).epsilon(0.01));
    for (std::size_t n = 0; n < path.m.size(); ++n) {
      CHECK(double(path.m[n]) == doctest::Approx(oracle.m[n]).epsilon(1e-4));
      CHECK(double(path.l[n]) == doctest::Approx(oracle.l[n]).epsilon(1e-4));
    }
  }
}

TEST_CASE("what a merge starts from is the same, however the moment was reached") {
  LoadedRun run = load_run(small_request("flash1"));
  Moment last = moment_at(run.timeline, 0);
  for (std::uint64_t p = 1; p <= run.facts->size; ++p) {
    const Moment stepped = moment_at(run.timeline, p, {}, &last);
    if (p % 7 == 0) {
      const Moment fresh = moment_at(run.timeline, p);
      REQUIRE(bool(fresh.merging) == bool(stepped.merging));
      CHECK(fresh.story == stepped.story);
      if (fresh.merging) CHECK(fresh.merging->same_as(*stepped.merging));
    }
    last = stepped;
  }
}

TEST_CASE("before the first key block, after the last, elsewhere, and where nothing is seen, words say so") {
  RunRequest request = small_request("flash2");
  Stage stage({request});
  stage.app.apply(SeekWords{"fill o 2"});
  stage.draw(size);
  CHECK(stage.shows("Nothing is seen yet"));
  stage.app.apply(SeekWords{"normalize o 2"});
  stage.draw(size);
  CHECK(stage.shows("after its last key block"));
  CHECK(stage.shows("ln"));
  stage.app.apply(SelectRow{3});
  stage.draw(size);
  CHECK(stage.shows("Row 3 is not at work now; rows 16–23 are."));
  stage.app.apply(SelectRow{-1});
  request.problem.n_q = 64;
  request.problem.n_kv = 48;  // the first 16 rows see no key
  request.tiling.block_q = 32;
  Stage blind({request});
  blind.app.apply(SeekWords{"gemm o 0 0"});
  blind.draw(size);
  CHECK(blind.shows("The mask hides every key so far"));
  CHECK(blind.shows("−∞"));
}

TEST_CASE("without values, the views of values say that they are off") {
  for (const auto name : algorithm_names()) {
    RunRequest request = small_request(std::string(name));
    request.count_only = true;
    Stage stage({request});
    stage.app.apply(Seek{stage.run().facts.size / 2});
    stage.draw(size);
    int said = 0;
    for (const DrawnText& text : stage.texts) said += text.text.find("Values are off") != std::string::npos;
    CHECK(said == 2);
  }
}

TEST_CASE("a faulty schedule's numbers are marked where they are not what the formula gives") {
  RunRequest request = small_request("flash2");
  request.fault = &fault_named("stale_max");
  Stage stage({request});
  bool marked = false;
  for (std::int64_t row = 24; row < 32 && !marked; ++row) {
    for (int j = 1; j < 4 && !marked; ++j) {
      stage.app.apply(SelectRow{row});
      stage.app.apply(SeekWords{"gemm o 3 " + std::to_string(j)});
      stage.draw(size);
      marked = stage.shows("fault stale_max");
    }
  }
  CHECK(marked);
  Stage sound({small_request("flash2")});
  sound.app.apply(SeekWords{"gemm o 3 2"});
  sound.draw(size);
  CHECK(!sound.shows("Not what the formula gives"));
}

TEST_CASE("tiles: the numbers of small tiles stand in their cells, of every algorithm") {
  std::mt19937 random(3);
  for (const auto name : algorithm_names()) {
    Stage stage({toy_request(std::string(name))});
    for (int n = 0; n < 8; ++n) {
      stage.app.apply(Seek{1 + random() % stage.run().facts.size});
      stage.draw(size);
      const RunFrame run = stage.run();
      const int tile = find_scores(run);
      INFO(name, " at ", run.moment.position);
      if (!holds(run.moment.state, tile)) continue;
      const HeatGrid grid = grid_of_tile(run, tile);
      for (std::int64_t r = 0; r < grid.rows; ++r) {
        for (std::int64_t c = 0; c < grid.cols && c < 2; ++c) {
          const CellValue value = grid.at(r, c);
          if (value.kind == CellKind::value && grid.cols <= 2)
            CHECK(stage.shows(short_number(value.value, 6)));
        }
      }
    }
  }
}

TEST_CASE("a cell says what it was made of: S from q and k, P from S and m, O from P and V") {
  Stage stage({small_request("flash2")});
  stage.app.apply(SeekWords{"gemm s 3 1"});
  stage.draw(size);
  {
    const Frame frame = stage.app.frame({});
    const RunFrame& run = frame.runs.front();
    const std::string words = cell_words(frame, run, find_tile(run, "s"), 2, 5);
    CHECK(words.find("S[26,\u00A0"
                     "13] = scale · Σ q·k") != std::string::npos);
    CHECK(words.find("= 0.250 · (") != std::string::npos);
    CHECK(words.find(number(*value_in(run.moment.state, find_tile(run, "q"), 2, 0))) != std::string::npos);
    CHECK(words.find("(16 terms)") != std::string::npos);
    CHECK(words.ends_with(" = " + number(*value_in(run.moment.state, find_tile(run, "s"), 2, 5))));
  }
  stage.app.apply(SeekWords{"gemm o 3 1"});
  stage.draw(size);
  const Frame frame = stage.app.frame({});
  const RunFrame& run = frame.runs.front();
  const int s = find_tile(run, "s"), o = find_tile(run, "o");
  const std::string weight = cell_words(frame, run, s, 2, 5), output = cell_words(frame, run, o, 2, 5);
  CHECK(weight.find("exp(" + number(*value_in(*run.moment.merging, s, 2, 5)) + " − ") != std::string::npos);
  CHECK(weight.find(" = " + number(*value_in(run.moment.state, s, 2, 5))) != std::string::npos);
  CHECK(output.find("= α · O + Σ P·V") != std::string::npos);
  CHECK(output.find(" = " + number(*value_in(run.moment.state, o, 2, 5))) != std::string::npos);
}

TEST_CASE("scores that are left over from the tile before are still its weights") {
  Stage stage({small_request("flash2")});
  stage.app.apply(SeekWords{"load V 2"});  // of tile (2, 2): s holds P of (2, 1)
  stage.draw(size);
  const Frame frame = stage.app.frame({});
  const RunFrame& run = frame.runs.front();
  REQUIRE(run.moment.tile == TileId{2, 2});
  CHECK(score_stage(run) == ScoreStage::weights);
  CHECK(stage.shows("P 2, 1"));
  CHECK(cell_words(frame, run, find_tile(run, "s"), 1, 3)
            .starts_with("P[17,\u00A0"
                         "11] = "));
}

TEST_CASE("hovering a cell shows what it was made of, and a click looks at its row") {
  Stage stage({small_request("flash2")});
  stage.app.apply(SeekWords{"gemm s 3 1"});
  stage.draw(size);
  Box head{};
  for (const DrawnText& text : stage.texts) {
    if (text.text == "scores S") head = text.box;
  }
  REQUIRE(head.width() > 0);
  const ImVec2 cell{head.min.x + 30, head.max.y + 60};
  ImGui::GetIO().MousePos = cell;
  stage.texts = drawn_texts(*stage.ui.draw_still(stage.app, size), stage.ui.atlas());
  CHECK(stage.shows("scale · Σ q·k"));
  CHECK(stage.app.frame({}).selection.row == -1);
  stage.click(cell, size);
  CHECK(stage.app.frame({}).selection.row > 24);
}

TEST_CASE("memory and values can be read at every place, of every algorithm, size and kind of tile") {
  std::mt19937 random(11);
  const std::pair<ImVec2, float> looks[] = {{{1280, 720}, 1.0f},
                                            {{1280, 720}, 1.5f},
                                            {{1280, 720}, 2.0f},
                                            {{1920, 1080}, 1.0f},
                                            {{1920, 1080}, 2.0f}};
  const ViewId shown[] = {ViewId::memory, ViewId::tiles, ViewId::merge};
  std::size_t n = 0;
  for (const auto name : algorithm_names()) {
    for (const bool toy : {false, true}) {
      Stage stage({toy ? toy_request(std::string(name)) : small_request(std::string(name))});
      for (const auto& [look, scale] : looks) {
        stage.app.apply(ChangeScale{0});
        while (stage.app.settings().scale < scale) stage.app.apply(ChangeScale{1});
        for (int again = 0; again < 3; ++again, ++n) {
          stage.app.apply(Seek{random() % (stage.run().facts.size + 1)});
          stage.app.apply(NextTile{});
          if (n % 4 == 0) stage.app.apply(ToggleLanguage{});
          stage.app.apply(RaiseView{shown[n % 3]});
          const auto& texts = stage.draw(look);
          INFO(name, toy ? " toy" : "", " ", look.x, " scale ", scale, " at ", stage.run().moment.position,
               " view ", view_of(shown[n % 3]).name);
          CHECK(overlap_in(texts) == "");
          CHECK(cut_in(texts) == "");
        }
      }
    }
  }
}

TEST_CASE(
    "colours of values: an end for each sign, told apart by every kind of sight, and darker or lighter by "
    "size") {
  for (const ThemeName name : {ThemeName::dark, ThemeName::light, ThemeName::contrast}) {
    const Theme& theme = theme_of(name);
    const HeatScale scale{false, 2};
    for (const Vision vision :
         {Vision::normal, Vision::protanopia, Vision::deuteranopia, Vision::tritanopia}) {
      const auto seen = [&](float value) { return seen_by(vision, heat_colour(theme, scale, value)); };
      CHECK(difference(seen(-2), seen(2)) >= 20);
      CHECK(difference(seen(-2), seen(0)) >= 20);
      CHECK(difference(seen(2), seen(0)) >= 20);
      const auto weight = [&](float value) { return seen_by(vision, heat_colour(theme, {true, 1}, value)); };
      CHECK(difference(weight(1), weight(0.01f)) >= 10);
      CHECK(difference(weight(0.01f), weight(0)) >= 10);
    }
    CHECK(heat_colour(theme, scale, NAN) == theme.bad);
  }
}
