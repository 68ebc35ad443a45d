// Counters, what-if, source and GPU views: what they show is what the simulator says.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "gpu/api.h"
#include "sim/arch.h"
#include "sim/describe.h"
#include "sim/fault.h"
#include "sim/npy.h"
#include "tests/program.h"
#include "tests/viz_stage.h"
#include "tests/viz_texts.h"
#include "viz/code.h"
#include "viz/command_line.h"
#include "viz/counters.h"
#include "viz/gif.h"
#include "viz/gpu_job.h"
#include "viz/image.h"
#include "viz/kernel_lines.h"
#include "viz/keys.h"
#include "viz/roofline.h"
#include "viz/settings_file.h"
#include "viz/text.h"
#include "viz/views.h"
#include "viz/what_if.h"

using namespace tilewalk;
using namespace tilewalk::viz;

namespace {

Settings showing(ViewId view) {
  Settings settings;
  settings.raised = {view};
  return settings;
}

int run_shell(const std::string& words, const std::string& errors) {
  return std::system((std::string(TILEWALK_PROGRAM) + words + " 2> " + errors).c_str());
}

// As it is read back from a picture, where every space is a gap.
std::string read_back(std::string text) {
  for (std::size_t at; (at = text.find("\u00A0")) != std::string::npos;) text.replace(at, 2, " ");
  return text;
}

const WhatIfField& field_named(Str label) {
  for (const WhatIfField& field : what_if_fields()) {
    if (field.label == label) return field;
  }
  throw std::logic_error("no such field");
}

}  // namespace

TEST_CASE("the counters show what the run has moved so far, and its opposite as far in") {
  std::mt19937 random(3);
  for (const auto name : algorithm_names()) {
    Stage stage({small_request(std::string(name))}, showing(ViewId::counters));
    for (int n = 0; n < 4; ++n) {
      stage.app.apply(Seek{random() % (stage.run().facts.size + 1)});
      stage.draw({1920, 4800});
      INFO(name, " at ", stage.run().moment.position);
      const auto columns = counted(stage.app.frame({}));
      REQUIRE(columns.size() == 2);
      for (const Counted& c : columns) {
        CHECK(stage.shows(read_back(grouped(hbm_total(c.so_far, *c.plan)) + " of " +
                                    grouped(hbm_total(c.whole->total, *c.plan)) + " B")));
      }
      // From the counts themselves, not from what the view makes of them.
      const MachineState state = stage.run().moment.state;
      const Plan& plan = stage.run().plan();
      for (std::size_t t = 0; t < plan.tensors.size(); ++t) {
        for (const bool write : {false, true}) {
          const auto bytes = state.total().bytes[std::size_t(plan.config.arch.level("hbm"))][write][t];
          CHECK((bytes == 0 || stage.shows(read_back(grouped(bytes) + " B"))));
        }
      }
    }
    stage.app.apply(SeekEnd{true});
    for (const Counted& c : counted((stage.draw({1280, 720}), stage.app.frame({}))))
      CHECK(c.so_far == c.whole->total);
  }
}

TEST_CASE("every number of the counters stands under an origin, and the roofline's labels are apart") {
  Stage stage({small_request("flash2")}, showing(ViewId::counters));
  stage.draw({1920, 4800});
  for (const char* origin : {"model", "theory", "published"}) CHECK(stage.shows(origin));
  for (const RooflinePoint& p : roofline_of(stage.app.frame({})).points) {
    const Roofline r = roofline_of(stage.app.frame({}));
    INFO(p.label);
    CHECK(stage.shows(p.label));
    CHECK(p.rate <= std::min(r.peak, r.bandwidth * p.intensity) * 1.0001);
  }
}

TEST_CASE("what if: each field's next value opens another run, and one that does not fit says why") {
  for (const WhatIfField& field : what_if_fields()) {
    const std::vector<RunRequest> now{small_request("flash2")};
    for (const int direction : {1, -1}) {
      const auto changed = with_next(now, field, direction);
      if (changed.empty()) continue;
      INFO(field.value(now[0]), " -> ", field.value(changed[0]));
      CHECK(field.value(changed[0]) != field.value(now[0]));
    }
    CHECK(with_value(now, field, "nonsense!").empty());
    CHECK(with_value(now, field, "-3").empty());
  }
  Stage stage({small_request("flash2")}, showing(ViewId::what_if));
  auto changed = with_value(stage.app.frame({}).asked, field_named(Str::field_sram), "64");
  stage.app.apply(OpenRuns{changed});
  stage.draw({1920, 1080});
  CHECK(stage.shows("This does not run"));
  CHECK(stage.shows("--block-q"));
  CHECK(stage.run().facts.request.arch.level("sram") > 0);
  stage.app.apply(KeepRuns{});
  stage.draw({1920, 1080});
  CHECK(!stage.shows("This does not run"));
}

TEST_CASE("keys change the fields of the what-if panel") {
  Stage stage({small_request("flash2")});
  stage.app.press({Key::down, true});
  stage.app.press({Key::right, true});
  CHECK(stage.run().facts.plan->problem().n_q == 128);
  stage.app.apply(OpenRuns{with_algorithm(stage.app.frame({}).asked, "standard")});
  stage.app.settle(std::chrono::minutes(1));
  CHECK(stage.app.frame({}).runs.size() == 2);
}

TEST_CASE("the command line that is copied shows the same picture") {
  RunRequest random = small_request("flash1");
  random.problem.n_kv = 40;
  random.tiling.order = Order::descending;
  random.seed = 7;
  RunRequest toy = small_request("standard");
  toy.arch = arch_named("toy");
  toy.problem.d = 4;
  toy.problem.scale = 0.3f;
  toy.problem.dtype = DType::f32;
  toy.tiling = {};
  RunRequest broken = default_request();
  broken.fault = &fault_named("no_rescale");
  broken.arch.levels[std::size_t(broken.arch.level("sram"))].capacity = 100'000;
  const auto folder = std::filesystem::temp_directory_path();
  int number = 0;
  for (const RunRequest& request : {random, toy, broken}) {
    Settings settings = showing(ViewId::counters);
    settings.language = Language::zh;
    settings.theme = ThemeName::light;
    Stage stage({request}, settings);
    stage.app.apply(Seek{stage.run().facts.size / 2});
    stage.app.settle(std::chrono::minutes(1));
    stage.app.rest(std::chrono::minutes(2));
    stage.app.apply(CopyCall{});
    const std::string call = *stage.app.take_copied();
    INFO(call);
    const auto path = (folder / fmt::format("tilewalk_call_{}.png", number++)).string();
    std::string words = call.substr(call.find(' ')) + " --size 900x700 --screenshot " + path;
    CHECK(run_shell(words, path + ".err") == 0);
    CHECK(read_file(path + ".err") == "");
    stage.app.apply(CloseOverlay{});
    CHECK(read_file(path) == picture_of(stage.app, {900, 700}, PictureKind::png));
    std::filesystem::remove(path);
    std::filesystem::remove(path + ".err");
  }
}

TEST_CASE("the kernel's line is known for every step of the schedule, and each row of the table finds one") {
  for (const KernelLine& row : kernel_lines()) {
    INFO(row.kernel, " ", row.launch, " ", row.step);
    CHECK(row.line > 0);
  }
  for (const gpu::KernelRow& row : gpu::kernels()) {
    if (!row.traceable) continue;
    Stage stage({small_request(std::string(row.algorithm))});
    const auto kernel = kernel_with_lines(row.algorithm, row.name);
    REQUIRE(kernel == row.name);
    Timeline timeline(stage.run().facts.plan);
    timeline.each(0, timeline.size(), [&](const Event& e) {
      if (e.op == Op::free) return;
      INFO(describe(e, timeline.plan()));
      CHECK(kernel_line(kernel, e, timeline.plan()) > 0);
    });
  }
}

TEST_CASE("the source view lights the schedule's line, and shows the kernel's") {
  Stage stage({small_request("flash2")}, showing(ViewId::source));
  stage.app.apply(SeekWords{"gemm s 2 1"});
  stage.draw({1920, 1080});
  CHECK(stage.run().moment.done->op == Op::gemm);
  CHECK(stage.shows("gemm"));
  CHECK(stage.shows("multiply_scores"));
  stage.app.apply(SeekWords{"store O 7"});
  stage.draw({1920, 1080});
  CHECK(stage.shows("store_tile"));
  std::string_view line = "  for (int j : x) {  // \"no text\"";
  std::string back;
  while (!line.empty()) back += take_token(line).words;
  CHECK(back == "  for (int j : x) {  // \"no text\"");
}

TEST_CASE("a fault leaves red ticks where it shows, and a sound run none") {
  for (const char* fault : {"no_rescale", "double_load", "causal_off_by_one"}) {
    RunRequest request = small_request("flash2");
    request.fault = &fault_named(fault);
    Stage stage({request});
    REQUIRE(stage.app.rest(std::chrono::minutes(2)));
    const Divergence* d = stage.app.frame({}).runs[0].divergence;
    INFO(fault);
    REQUIRE(d);
    REQUIRE(d->first);
    CHECK(!d->words.empty());
    stage.app.apply(SeekDivergence{});
    CHECK(stage.run().moment.position == *d->first);
    stage.draw({1600, 900});
    CHECK(stage.shows("first difference"));
  }
  Stage sound({small_request("flash2")});
  REQUIRE(sound.app.rest(std::chrono::minutes(2)));
  CHECK(!sound.app.frame({}).runs[0].divergence);
  sound.draw({1600, 900});
  CHECK(!sound.shows("first difference"));
}

TEST_CASE("every recorded run opens, sound kernels agree, and broken ones are found") {
  for (const std::string& name : recorded_runs()) {
    GpuJob job({});
    job.open(name);
    REQUIRE(job.wait(std::chrono::minutes(5)));
    const GpuStatus status = job.status();
    INFO(name, " ", status.error);
    REQUIRE(status.check);
    CHECK(status.check->agrees() == status.check->fault.empty());
    CHECK(status.check->agrees() == !status.check->divergence.first.has_value());
  }
}

TEST_CASE("the GPU view says whether they agree, and leads to where they do not") {
  Stage stage({small_request("flash2")});
  stage.app.apply(OpenRecorded{"flash2_scalar-f16-n128"});
  REQUIRE(stage.app.rest(std::chrono::minutes(2)));
  stage.draw({1600, 900});
  CHECK(stage.run().facts.plan->problem().n_q == 128);
  CHECK(stage.shows("GPU agrees"));
  CHECK(stage.shows("HBM bytes: equal"));
  CHECK(stage.shows("measured"));
  stage.app.apply(OpenRecorded{"flash2_scalar-no_rescale"});
  REQUIRE(stage.app.rest(std::chrono::minutes(2)));
  stage.draw({1600, 900});
  CHECK(stage.shows("GPU and model differ"));
  stage.app.apply(SeekDivergence{});
  CHECK(stage.run().moment.tile == TileId{0, 1});
  stage.app.apply(OpenRecorded{"/nowhere/at.run"});
  REQUIRE(stage.app.rest(std::chrono::minutes(2)));
  stage.draw({1600, 900});
  CHECK(stage.shows("cannot be read"));
}

TEST_CASE("settings come back as they were, damaged ones are set aside") {
  Settings settings = showing(ViewId::source);
  settings.language = Language::zh;
  settings.scale = 1.25f;
  settings.projector = true;
  settings.speed = 16;
  const auto folder = std::filesystem::temp_directory_path() / "tilewalk_settings_test";
  const std::string path = (folder / "a" / "viewer.txt").string();
  std::filesystem::remove_all(folder);
  CHECK(load_settings(path).notice == "");
  save_settings(path, settings);
  CHECK(format_settings(load_settings(path).settings) == format_settings(settings));
  const std::string whole = format_settings(settings);
  const std::vector<std::string> damaged{std::string("\0\1\2", 3), whole.substr(0, whole.size() / 2), "",
                                         "tilewalk-viewer 1\nscale 1e9\nend\n",
                                         "tilewalk-viewer 1\nscale nan\nend\n"};
  for (const std::string& bad : damaged) {
    write_file(path, bad);
    const SavedSettings saved = load_settings(path);
    CHECK(saved.notice.find("damaged") != std::string::npos);
    CHECK(format_settings(saved.settings) == format_settings(Settings()));
    CHECK(!std::filesystem::exists(path));
    CHECK(std::filesystem::exists(path + ".damaged"));
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("files that are dropped open, or say what is wrong") {
  const auto folder = std::filesystem::temp_directory_path() / "tilewalk_drop_test";
  std::filesystem::create_directories(folder);
  const auto plan =
      make_plan({&algorithm_named("flash1"), small_request("flash1").problem, {16, 16}, arch_named("a100")});
  write_file(folder / "a.trace", format_trace(record(plan, nullptr)));
  const std::vector<std::int64_t> shape{24, 8};
  const std::vector<float> ones(24 * 8, 1);
  for (const char* name : {"v.npy", "q.npy", "k.npy"})
    write_file(folder / name, format_npy(shape, ones, NpyType::f16));
  Stage stage({small_request("flash2")});
  const auto drop = [&](std::initializer_list<const char*> names) {
    OpenFiles files;
    for (const char* name : names) files.paths.push_back((folder / name).string());
    stage.app.apply(files);
    stage.app.settle(std::chrono::minutes(1));
    return std::string(stage.app.frame({}).notice);
  };
  CHECK(drop({"a.trace"}) == "");
  CHECK(stage.run().facts.plan->algorithm().name == "flash1");
  CHECK(stage.run().facts.plan->config.tiling.block_q == 16);
  CHECK(drop({"v.npy", "q.npy", "k.npy"}) == "");
  CHECK(stage.run().facts.plan->problem().n_q == 24);
  CHECK(stage.run().facts.request.files[0].ends_with("q.npy"));
  CHECK(drop({"q.npy"}) != "");
  CHECK(drop({"a.trace", "q.npy"}) != "");
  CHECK(drop({"missing.trace"}) != "");
  std::filesystem::remove_all(folder);
}

TEST_CASE("a GIF has a header, each picture's rectangle, and an end") {
  Gif gif;
  Image image{300, 2, std::vector<std::uint32_t>(600)};
  for (std::size_t n = 0; n < 600; ++n) image.pixels[n] = 0xFF000000u | std::uint32_t(n * 77);
  gif.add(image, 10);
  const std::size_t first = gif.bytes().size();
  image.pixels[301] ^= 0xFFFFFF;
  gif.add(image, 10);
  const std::string bytes = gif.bytes();
  CHECK(bytes.starts_with("GIF89a"));
  CHECK(bytes.ends_with(std::string("\0;", 2)));
  CHECK(bytes.size() < first + 900);  // one pixel and its palette
  CHECK(bytes.find(std::string(",\1\0\1\0\1\0\1\0", 9)) != std::string::npos);
}

TEST_CASE("a place is typed into the field that G leads to") {
  Stage stage({small_request("flash2")});
  stage.draw({1280, 720});
  REQUIRE(stage.app.press({Key::g}));
  stage.ui.draw_still(stage.app, {1280, 720});
  ImGuiIO& io = ImGui::GetIO();
  CHECK(io.WantTextInput);
  for (const char c : std::string("tile 3 1")) io.AddInputCharacter(static_cast<unsigned>(c));
  stage.ui.draw_still(stage.app, {1280, 720});
  const auto enter = [&](bool down) {
#if IMGUI_VERSION_NUM >= 18700
    io.AddKeyEvent(ImGuiKey_Enter, down);
#else
    io.KeyMap[ImGuiKey_Enter] = 1;
    io.KeysDown[1] = down;
#endif
  };
  enter(true);
  stage.ui.draw_still(stage.app, {1280, 720});
  enter(false);
  stage.draw({1280, 720});
  CHECK(stage.run().moment.next->row == 3);
  CHECK(stage.run().moment.next->col == 1);
  stage.app.apply(SeekWords{"17"});
  CHECK(stage.run().moment.position == 17);
}

TEST_CASE("panels with all that they can hold cut no text and lay none over another") {
  const ViewId panels[] = {ViewId::what_if, ViewId::counters, ViewId::source, ViewId::gpu};
  std::mt19937 random(5);
  for (const Language language : {Language::en, Language::zh}) {
    for (const float scale : {1.0f, 1.5f, 2.0f}) {
      Settings settings;
      settings.language = language;
      settings.scale = scale;
      Stage stage({small_request("flash2")}, settings);
      stage.app.apply(OpenRecorded{"flash2_scalar-no_rescale"});
      REQUIRE(stage.app.rest(std::chrono::minutes(2)));
      auto unfit = with_value(stage.app.frame({}).asked, field_named(Str::field_sram), "64");
      stage.app.apply(OpenRuns{unfit});
      for (const ViewId view : panels) {
        stage.app.apply(RaiseView{view});
        stage.app.apply(Seek{random() % stage.run().facts.size});
        for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1920, 1080}, ImVec2{1920, 3000}}) {
          const auto texts = stage.draw(size);
          INFO(view_of(view).name, " ", language_codes[std::size_t(language)], " ", scale, " ", size.x, "x",
               size.y);
          CHECK(overlap_in(texts) == "");
          CHECK(cut_in(texts) == "");
        }
      }
    }
  }
}

TEST_CASE("saving a picture leaves the window's own context in its place") {
  Stage stage({small_request("flash2")});
  stage.draw({1280, 720});
  ImGuiContext* const own = ImGui::GetCurrentContext();
  picture_of(stage.app, {640, 480}, PictureKind::png);
  CHECK(ImGui::GetCurrentContext() == own);
}
