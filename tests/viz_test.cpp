// The viewer without a window: what is drawn, asserted on the draw data.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "lessons/heads.h"
#include "tests/viz_stage.h"
#include "tests/viz_texts.h"
#include "viz/drawn_text.h"
#include "viz/image.h"
#include "viz/layout.h"
#include "viz/sentence.h"
#include "viz/views.h"

using namespace tilewalk;
using namespace tilewalk::viz;

namespace {

// Where a text begins that holds these words; the box is empty when there is none.
Box box_of(const std::vector<DrawnText>& texts, const std::string& words) {
  for (const DrawnText& text : texts) {
    if (text.text.find(words) != std::string::npos) return text.box;
  }
  return {{0, 0}, {0, 0}};
}

}  // namespace

TEST_CASE("every view draws every algorithm at random places, in both languages") {
  std::mt19937 random(1);
  for (const auto name : algorithm_names()) {
    Stage stage({small_request(std::string(name))});
    for (int n = 0; n < 6; ++n) {
      stage.app.apply(Seek{random() % (stage.run().facts.size + 1)});
      for (const ViewRow& view : views()) {
        INFO(name, " ", view.name, " at ", stage.run().moment.position);
        stage.app.apply(RaiseView{view.id});
        stage.app.apply(ToggleLanguage{});
        const auto texts = stage.draw({1600, 900});
        CHECK(box_of(texts, std::string(text(view.title, stage.app.settings().language))).width() > 0);
        CHECK(stage.shows(
            sentence(stage.run().moment, stage.run().plan(), stage.app.settings().language).substr(0, 12)));
      }
    }
  }
}

TEST_CASE("no text is cut or overlaps, at any scale, size, language or theme") {
  for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1920, 1080}}) {
    for (const float scale : {1.0f, 1.5f, 2.0f, 3.0f}) {
      for (const Language language : {Language::en, Language::zh}) {
        Settings settings;
        settings.scale = scale;
        settings.language = language;
        Stage stage({small_request("flash2"), small_request("flash1"), small_request("standard")}, settings);
        for (const ViewRow& view : views()) {
          INFO(size.x, "x", size.y, " scale ", scale, " ", language_codes[std::size_t(language)], " ",
               view.name);
          stage.app.apply(RaiseView{view.id});
          stage.app.apply(Seek{40});
          const auto texts = stage.draw(size);
          CHECK(overlap_in(texts) == "");
          CHECK(cut_in(texts) == "");
        }
      }
    }
  }
}

TEST_CASE("the traversal shows each tile in its state, and says how many") {
  RunRequest request = small_request("flash2");  // 8 x 8 tiles, causal
  Stage stage({request});
  stage.app.apply(SeekTile{3, 2});
  stage.draw({1920, 1080});
  CHECK(stage.run().moment.tile == TileId{3, 2});
  CHECK(stage.run().moment.in_tile);
  CHECK(stage.shows("done 8"));  // 1 + 2 + 3 of the rows above, and two of this one
  CHECK(stage.shows("now 1"));
  CHECK(stage.shows("to do 27"));
  CHECK(stage.shows("skipped by mask 28"));
  CHECK(stage.shows("tile 3, 2"));
}

TEST_CASE("what is visited follows from the events, whatever the loops") {
  for (const auto name : algorithm_names()) {
    INFO(name);
    Stage stage({small_request(std::string(name))});
    const RunFacts& facts = stage.run().facts;
    std::set<std::pair<int, int>> visited;
    Timeline timeline(facts.plan);
    for (std::uint64_t p = 1; p <= facts.size; ++p) {
      const Event e = timeline.event(p - 1);
      if (p > 1 && timeline.event(p - 2).launch != e.launch) visited.clear();
      if (e.row < 0 || e.col < 0) continue;
      const bool is_new = visited.insert({e.row, e.col}).second;
      const auto turn = facts.visits[e.launch].turn({e.row, e.col});
      if (is_new) CHECK(turn + 1 == std::int64_t(visited.size()));
    }
    CHECK(facts.visits.back().count() == std::int64_t(visited.size()));
  }
}

TEST_CASE("a click on a tile goes there") {
  Stage stage({small_request("flash2")});
  stage.draw({1920, 1080});
  // The grid is found by its current tile: the only white square of its size is tile (0, 0).
  const Box rows = box_of(stage.texts, "query blocks i");
  const ImVec2 first{rows.min.x + 6, rows.max.y + 20};
  stage.click(first, {1920, 1080});
  CHECK(stage.run().moment.tile == TileId{0, 0});
  CHECK(stage.run().moment.position > 0);
}

TEST_CASE("keys do what the overlay says") {
  Stage stage({small_request("flash2")});
  const auto press = [&](KeyPress key) {
    REQUIRE(stage.app.press(key));
    stage.app.settle(std::chrono::minutes(1));
  };
  press({Key::digit1});
  press({Key::right});
  press({Key::right});
  CHECK(stage.run().moment.position == 2);
  press({Key::left});
  CHECK(stage.run().moment.position == 1);
  press({Key::end});
  CHECK(stage.run().moment.position == stage.run().facts.size);
  press({Key::right});
  CHECK(stage.run().moment.position == stage.run().facts.size);
  press({Key::home});
  CHECK(stage.run().moment.position == 0);
  press({Key::digit3});
  press({Key::right});
  CHECK(stage.run().moment.done->row == 0);
  CHECK(stage.run().moment.next->row == 1);
  press({Key::f2});
  CHECK(stage.app.settings().language == Language::zh);
  press({Key::plus, true});
  CHECK(stage.app.settings().scale > 1);
  press({Key::digit0, true});
  CHECK(stage.app.settings().scale == 1);
  press({Key::question});
  stage.draw({1280, 720});
  for (const KeyRow& row : key_table()) CHECK(stage.shows(std::string(text(row.text, Language::zh))));
  press({Key::escape});
  stage.draw({1280, 720});
  CHECK(!stage.shows(std::string(text(Str::key_projector, Language::zh))));
}

TEST_CASE("playing goes on by time alone, stops at the end, and pause pauses") {
  Stage stage({small_request("flash2")});
  stage.app.apply(SetSpeed{4});
  stage.app.apply(TogglePlay{});
  const auto wait = [&](double seconds) {
    for (double t = 0; t < seconds; t += 0.05) {
      stage.app.update(0.05);
      while (!stage.app.settle(std::chrono::seconds(5))) {
      }
    }
  };
  wait(1.0);
  const auto reached = stage.run().moment.position;
  CHECK(reached > 0);
  stage.app.apply(TogglePlay{});
  wait(1.0);
  CHECK(stage.run().moment.position == reached);
  stage.app.apply(SetSpeed{128});
  stage.app.apply(TogglePlay{});
  wait(3.0);
  CHECK(stage.run().moment.position == stage.run().facts.size);
  CHECK(!stage.app.moving());
}

TEST_CASE("runs side by side follow the one that was asked, by progress") {
  Stage stage({small_request("standard"), small_request("flash1"), small_request("flash2")});
  for (const std::size_t leader : {std::size_t{2}, std::size_t{0}}) {
    const auto size = stage.app.frame({}).runs[leader].facts.size;
    stage.app.apply(Seek{size / 2, leader});
    REQUIRE(stage.app.settle(std::chrono::minutes(1)));
    for (const RunFrame& run : stage.app.frame({}).runs) {
      const double progress = double(run.moment.position) / double(run.facts.size);
      CHECK(progress == doctest::Approx(0.5).epsilon(0.05));
    }
  }
}

TEST_CASE("the picture is a function of run, position and settings") {
  const ImVec2 size{1280, 720};
  Stage one({small_request("flash2")}), other({small_request("flash2")});
  one.app.apply(Seek{90});
  one.draw(size);
  other.app.apply(SeekEnd{true});
  other.draw(size);
  other.app.apply(Seek{100});
  other.draw(size);
  other.app.apply(SetStepSize{StepSize::operation});
  for (int n = 0; n < 10; ++n) other.app.apply(Step{-1});
  other.app.apply(SetStepSize{StepSize::tile});
  other.draw(size);
  CHECK(rasterise(*one.data, one.ui.atlas()).pixels == rasterise(*other.data, other.ui.atlas()).pixels);
}

TEST_CASE("a request that cannot be opened leaves the run, and says why") {
  Stage stage({small_request("flash2")});
  RunRequest bad = small_request("flash2");
  bad.tiling.block_q = bad.tiling.block_kv = 64;
  bad.arch.levels[std::size_t(bad.arch.level("sram"))].capacity = 64;
  bad.arch.sram_in_elements = false;
  stage.app.apply(OpenRuns{{bad}});
  stage.draw({1920, 1080});
  REQUIRE(stage.app.frame({}).runs.size() == 1);
  CHECK(std::string(stage.app.frame({}).notice).find("sram") != std::string::npos);
}

TEST_CASE("a run that could not be loaded is not waited for, whenever it is sent somewhere") {
  RunRequest bad = small_request("flash2");
  bad.tiling.block_q = bad.tiling.block_kv = 64;
  bad.arch.levels[std::size_t(bad.arch.level("sram"))].capacity = 64;
  bad.arch.sram_in_elements = false;
  RunWorker worker(bad, {});
  REQUIRE(worker.wait(std::chrono::minutes(1)));
  worker.go([](Timeline&) { return std::uint64_t{1}; });
  CHECK(worker.wait(std::chrono::milliseconds(0)));
  worker.go_at_once([](Timeline&) { return std::uint64_t{1}; });
  CHECK(worker.wait(std::chrono::milliseconds(0)));
  CHECK(!worker.status().error.empty());
}

TEST_CASE("a large run is counted without values, and answers") {
  RunRequest request = small_request("flash2");
  request.problem.n_q = request.problem.n_kv = 65536;
  request.problem.d = 64;
  request.tiling.block_q = request.tiling.block_kv = 64;
  Stage stage({request});
  CHECK(!stage.run().has_values());
  CHECK(stage.run().facts.too_large_for_values);
  stage.app.apply(SeekTile{500, 300});
  stage.draw({1600, 900});
  CHECK(stage.run().moment.tile == TileId{500, 300});
  CHECK(stage.shows("tile 500, 300"));
}

TEST_CASE("pictures: a PNG with the colours asked for, an SVG with every glyph") {
  Stage stage({small_request("flash2")});
  stage.draw({1280, 720});
  const Image image = rasterise(*stage.data, stage.ui.atlas());
  CHECK(image.width == 1280);
  CHECK(image.height == 720);
  const Theme& theme = theme_of(ThemeName::dark);
  for (const Colour colour : {theme.panel, theme.bar, theme.background, theme.to_come})
    CHECK(std::count(image.pixels.begin(), image.pixels.end(), colour) > 100);
  CHECK(png_of(image).starts_with("\x89PNG"));
  const std::string svg = svg_of(*stage.data, stage.ui.atlas());
  std::size_t uses = 0;
  for (auto at = svg.find("<use"); at != std::string::npos; at = svg.find("<use", at + 1)) ++uses;
  CHECK(uses == drawn_glyphs(*stage.data, stage.ui.atlas()).size());
  CHECK(svg.ends_with("</svg>\n"));
}

TEST_CASE("a painted triangle pair covers each pixel once") {
  Stage stage({small_request("flash2")});
  ImDrawList list(ImGui::GetDrawListSharedData());
  list._ResetForNewFrame();
  list.PushClipRect({0, 0}, {64, 64});
  list.PushTextureID(ImGui::GetIO().Fonts->TexID);
  list.AddRectFilled({3, 5}, {40.5f, 33}, 0x80FFFFFFu);
  ImDrawData data;
  data.DisplaySize = {64, 64};
  ImDrawList* lists[] = {&list};
#if IMGUI_VERSION_NUM >= 18980
  data.AddDrawList(lists[0]);
#else
  data.CmdLists = lists;
  data.CmdListsCount = 1;
#endif
  const Image image = rasterise(data, stage.ui.atlas());
  const std::uint32_t once = image.pixels[6 * 64 + 4];
  CHECK(once == 0xFF808080u);
  for (int y = 5; y < 33; ++y) {
    for (int x = 3; x < 40; ++x) CHECK(image.pixels[std::size_t(y * 64 + x)] == once);
  }
}
