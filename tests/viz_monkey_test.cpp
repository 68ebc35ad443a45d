// 10,000 random events, valid and not: whatever happens, the viewer draws on.
#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <set>

#include "tests/viz_stage.h"
#include "viz/keys.h"

using namespace tilewalk;
using namespace tilewalk::viz;

namespace {

class Monkey {
 public:
  explicit Monkey(unsigned seed) : random_(seed), stage_({small_request("flash2")}) {}

  void play(int events) {
    for (int n = 0; n < events; ++n) {
      event();
      draw();
    }
  }
  Stage& stage() { return stage_; }
  int drawn() const { return drawn_; }               // frames with something to see
  std::size_t seen() const { return seen_.size(); }  // places of runs

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  void event() {
    ImGuiIO& io = ImGui::GetIO();
    switch (below(16)) {
      case 0: size_ = {float(below(2400)), float(below(1400))}; return;
      case 1: size_ = below(2) ? ImVec2{1600, 900} : ImVec2{float(below(3)), float(below(3))}; return;
      case 2:
      case 3:
      case 4:
        io.MousePos = {float(below(int(size_.x) + 40)) - 20, float(below(int(size_.y) + 40)) - 20};
        return;
      case 5:
      case 6:
      case 7: io.MouseDown[below(3)] = below(2) == 0; return;
      case 8: io.MouseWheel = float(below(9)) - 4; return;
      case 9: io.AddInputCharacter(static_cast<unsigned>(below(2) ? below(128) : below(0x10FFFF))); return;
      case 10:
      case 11:
      case 12: press(); return;
      case 13: stage_.app.apply(command()); return;
      default: stage_.app.update(double(below(200)) / 1000); return;
    }
  }

  // Scales are left to the last: each makes its fonts anew, which takes long.
  void press() {
    const auto table = key_table();
    const KeyRow& row = table[static_cast<std::size_t>(below(int(table.size())))];
    const bool scales = std::holds_alternative<ChangeScale>(row.command) ||
                        std::holds_alternative<ToggleProjector>(row.command);
    if (!scales || below(40) == 0) stage_.app.press(row.press);
  }

  Command command() {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    RunRequest request = small_request(std::string(algorithm_names()[std::size_t(below(6))]));
    switch (below(14)) {
      case 0: return Seek{random_() * std::uint64_t{1} << below(64), std::size_t(below(5))};
      case 1: return SeekTile{below(20) - 5, below(20) - 5, std::size_t(below(4))};
      case 2: return SeekTile{most, -most, 0};
      case 3: return SeekWords{below(2) ? "load K 2" : "\xFF%s {} nonsense", std::size_t(below(4))};
      case 4: return SetSpeed{below(2) ? std::numeric_limits<float>::quiet_NaN() : -1e30f};
      case 5: return SelectRow{below(2) ? most : -most};
      case 6: request.tiling.block_q = below(80) - 8; return OpenRuns{{request}};
      case 7: return OpenRuns{{request, small_request("flash1"), small_request("standard"), request}};
      case 8:
        request.problem.n_q = below(70);
        request.problem.d = below(3);
        return OpenRuns{{request}};
      case 9: return OpenFiles{{below(2) ? "/nowhere/a.trace" : "\xFE.npy"}};
      case 10: return RunKernel{below(2) ? "flash2_scalar" : "no such kernel"};
      case 11: return OpenRecorded{below(3) ? "nothing" : "flash2_scalar-double_load"};
      case 12: return SelectField{random_()};
      default: return RaiseView{static_cast<ViewId>(below(int(view_count)))};
    }
  }

  void draw() {
    stage_.app.update(0.01);
    stage_.ui.prepare(stage_.app);
    ImGui::GetIO().DisplaySize = size_;
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    const ImDrawData* data = stage_.ui.draw(stage_.app);
    drawn_ += data->TotalVtxCount > 2000;
    for (const RunFrame& run : stage_.app.frame({}).runs)
      seen_.insert(fmt::format("{} {}", run.plan().algorithm().name, run.moment.position));
    stage_.app.take_copied();
    stage_.app.take_images();
  }

  std::mt19937 random_;
  Stage stage_;
  ImVec2 size_{1600, 900};
  int drawn_ = 0;
  std::set<std::string> seen_;
};

}  // namespace

TEST_CASE("10,000 random events, resizes and invalid ones among them, leave a viewer that works") {
  Monkey monkey(20);
  monkey.play(10'000);
  // It has been somewhere: else all this says nothing.
  CHECK(monkey.drawn() > 5'000);
  CHECK(monkey.seen() > 100);
  Stage& stage = monkey.stage();
  ImGui::GetIO().MouseDown[0] = ImGui::GetIO().MouseDown[1] = ImGui::GetIO().MouseDown[2] = false;
  stage.app.apply(OpenRuns{{small_request("flash2")}});
  REQUIRE(stage.app.settle(std::chrono::minutes(2)));
  stage.app.apply(SetLanguage{Language::en});
  stage.app.apply(SeekTile{3, 2});
  CHECK(stage.run().moment.tile == TileId{3, 2});
  stage.draw({1600, 900});
  CHECK(stage.shows("event"));
}
