// What changed from frame to frame, drawn over the frame before, is the frame.
#include <random>

#include "tests/viz_stage.h"
#include "viz/damage.h"
#include "viz/image.h"

using namespace tilewalk;
using namespace tilewalk::viz;

namespace {

// What a window does, with the rasteriser instead of OpenGL.
class Screen {
 public:
  void show(const Stage& stage) {
    const std::vector<Patch> patches = damage_.update(*stage.data);
    const Image part = rasterise(damage_.part(*stage.data, patches), stage.ui.atlas());
    if (image_.pixels.size() != part.pixels.size()) image_ = part;
    drawn_ = 0;
    for (const Patch& p : patches) {
      drawn_ += (p.x1 - p.x0) * (p.y1 - p.y0);
      for (int y = p.y0; y < p.y1; ++y) {
        const auto row = std::ptrdiff_t(y) * image_.width;
        std::copy(part.pixels.begin() + row + p.x0, part.pixels.begin() + row + p.x1,
                  image_.pixels.begin() + row + p.x0);
      }
    }
  }
  int drawn() const { return drawn_; }  // pixels
  // How many pixels are not what the whole frame has there.
  int wrong(const Stage& stage) const {
    const Image whole = rasterise(*stage.data, stage.ui.atlas());
    REQUIRE(whole.pixels.size() == image_.pixels.size());
    int count = 0;
    for (std::size_t n = 0; n < whole.pixels.size(); ++n) count += whole.pixels[n] != image_.pixels[n];
    return count;
  }

 private:
  Damage damage_;
  Image image_;
  int drawn_ = 0;
};

}  // namespace

TEST_CASE("frames built from what changed are the whole frames") {
  const ImVec2 size{1280, 720};
  Stage stage({small_request("standard"), small_request("flash2")});
  Screen screen;
  stage.draw(size);
  screen.show(stage);
  CHECK(screen.drawn() == 1280 * 720);
  CHECK(screen.wrong(stage) == 0);

  std::mt19937 random(7);
  double share = 0;
  constexpr int frames = 24;
  for (int n = 0; n < frames; ++n) {
    switch (n % 6) {
      case 3: stage.app.apply(Seek{random() % 300}); break;
      case 5: ImGui::GetIO().MousePos = {float(random() % 1280), float(random() % 720)}; break;
      default: stage.app.apply(Step{1});
    }
    stage.draw(size);
    screen.show(stage);
    INFO("frame ", n);
    CHECK(screen.wrong(stage) == 0);
    share += double(screen.drawn()) / (1280 * 720) / frames;
  }
  CHECK(share < 0.6);
  CHECK(share > 0.01);

  screen.show(stage);
  CHECK(screen.drawn() == 0);  // nothing happened
  stage.draw({900, 500});
  screen.show(stage);
  CHECK(screen.drawn() == 900 * 500);
  CHECK(screen.wrong(stage) == 0);
}

TEST_CASE("the order in which things lie over each other counts, and so does a colour") {
  Stage stage({small_request("flash2")});
  stage.draw({640, 360});
  Damage damage;
  const auto paint = [&](ImU32 first, ImU32 second, float x) {
    ImDrawList list(ImGui::GetDrawListSharedData());
    list._ResetForNewFrame();
    list.PushClipRectFullScreen();
    list.PushTextureID(ImGui::GetIO().Fonts->TexID);
    list.AddRectFilled({x, 40}, {x + 20, 60}, first);
    list.AddRectFilled({x, 40}, {x + 20, 60}, second);
    ImDrawData data = *stage.data;
    ImDrawList* lists[] = {&list};
    data.CmdListsCount = 1;
#if IMGUI_VERSION_NUM >= 18980
    data.CmdLists.resize(1);
    data.CmdLists[0] = lists[0];
#else
    data.CmdLists = lists;
#endif
    return damage.update(data);
  };
  CHECK(paint(0xFF0000FF, 0xFF00FF00, 40).size() == 1);
  CHECK(paint(0xFF0000FF, 0xFF00FF00, 40).empty());
  const auto changed = paint(0xFF00FF00, 0xFF0000FF, 40);
  REQUIRE(changed.size() == 1);
  CHECK(changed[0].x0 == 32);
  CHECK(changed[0].x1 == 64);
  CHECK(changed[0].y0 == 32);
  CHECK(changed[0].y1 == 64);
  CHECK(paint(0xFF00FF00, 0xFF0000FF, 200).size() == 2);  // where it was, and where it is
}
