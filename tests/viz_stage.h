// An app and a picture of it without a window, for tests.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/arch.h"
#include "viz/drawn_text.h"
#include "viz/ui_context.h"

namespace tilewalk::viz {

// 64 rows of d = 16 in tiles of 8, causal, with values.
inline RunRequest small_request(const std::string& algorithm) {
  RunRequest request;
  request.algorithm = algorithm;
  request.problem.n_q = request.problem.n_kv = 64;
  request.problem.d = 16;
  request.problem.scale = default_scale(16);
  request.problem.mask = parse_mask("causal");
  request.tiling.block_q = request.tiling.block_kv = 8;
  request.arch = arch_named("a100");
  return request;
}

struct Stage {
  explicit Stage(std::vector<RunRequest> requests, Settings settings = {}) : app(std::move(settings)) {
    app.apply(OpenRuns{std::move(requests)});
    REQUIRE(app.settle(std::chrono::minutes(2)));
    REQUIRE(!app.frame({}).runs.empty());
  }

  // Waits until the runs are where they were asked to go, and draws.
  const std::vector<DrawnText>& draw(ImVec2 size) {
    REQUIRE(app.settle(std::chrono::minutes(2)));
    data = ui.draw_still(app, size);
    return texts = drawn_texts(*data, ui.atlas());
  }

  // Some line of the last picture holds these words.
  bool shows(const std::string& words) const {
    for (const DrawnText& text : texts) {
      if (text.text.find(words) != std::string::npos) return true;
    }
    return false;
  }

  void click(ImVec2 at, ImVec2 size) {
    ImGuiIO& io = ImGui::GetIO();
    for (const bool down : {false, true, false}) {
      io.MousePos = at;
      io.MouseDown[0] = down;
      data = ui.draw_still(app, size);
    }
    io.MousePos = {-1, -1};
    draw(size);
  }

  RunFrame run(std::size_t n = 0) {
    app.settle(std::chrono::minutes(2));
    return app.frame({}).runs[n];
  }

  App app;
  UiContext ui;
  ImDrawData* data = nullptr;
  std::vector<DrawnText> texts;
};

}  // namespace tilewalk::viz
