// What the page needs of the viewer, without a browser: work in slices, the words of a link, the transcript.
#include "viz/command_line.h"
#include "viz/transcript.h"
#include "viz_stage.h"

namespace tilewalk::viz {
namespace {

using namespace std::chrono_literals;

// An app whose runs get this long between two pictures.
struct Sliced {
  App app{{}, {}, {}, WorkMode::in_slices};
  int slices = 0;

  void rest(WorkClock::duration slice) {
    slices = 0;
    for (int idle = 0; idle < 2; ++slices) {
      app.update(0);
      idle = app.work_until(WorkClock::now() + slice) ? 0 : idle + 1;
    }
    app.update(0);
  }
  RunFrame run(std::size_t n = 0) const { return app.frame({}).runs[n]; }
};

RunRequest valued_request() {
  RunRequest request = small_request("flash2");
  request.problem.n_q = request.problem.n_kv = 512;
  request.tiling.block_q = request.tiling.block_kv = 16;
  return request;
}

}  // namespace

TEST_CASE("work in slices leads where work on a thread does, however short they are") {
  Stage threaded({valued_request()});
  for (const WorkClock::duration slice :
       {WorkClock::duration{0us}, WorkClock::duration{200us}, WorkClock::duration{1s}}) {
    threaded.app.apply(Seek{0});
    Sliced sliced;
    sliced.app.apply(OpenRuns{{valued_request()}});
    sliced.rest(slice);
    REQUIRE(sliced.app.frame({}).runs.size() == 1);
    if (slice < 1ms) CHECK(sliced.slices > 4);
    for (const Command& command :
         std::vector<Command>{Step{1}, Step{1}, SeekEnd{true}, Step{-1}, SeekTile{3, 1}, Seek{77}}) {
      sliced.app.apply(command);
      sliced.rest(slice);
      threaded.app.apply(command);
      const RunFrame expected = threaded.run(), found = sliced.run();
      CHECK(found.moment.position == expected.moment.position);
      CHECK(found.moment.location.cta == expected.moment.location.cta);
    }
  }
}

TEST_CASE("a step that comes while the way to the end is still being run leads on from the picture") {
  Sliced sliced;
  sliced.app.apply(OpenRuns{{valued_request()}});
  while (sliced.app.frame({}).runs.empty() || sliced.run().busy) {
    sliced.app.work_until(WorkClock::now());
    sliced.app.update(0);
  }
  for (int n = 0; n < 3; ++n)
    sliced.app.work_until(WorkClock::now());  // in the background, and not to its end
  sliced.app.apply(SetStepSize{StepSize::operation});
  sliced.app.apply(Step{1});
  sliced.rest(1ms);
  CHECK(sliced.run().moment.position == 1);
}

TEST_CASE("a place that is not in the run opens its start, with a message") {
  Sliced sliced;
  sliced.app.apply(OpenRuns{{small_request("flash2")}, "cellar"});
  sliced.rest(1s);
  REQUIRE(sliced.app.frame({}).runs.size() == 1);
  CHECK(sliced.run().moment.position == 0);
  CHECK(sliced.app.frame({}).notice.find("cellar") != std::string_view::npos);
}

TEST_CASE("the words of a link say everything that settings elsewhere might have otherwise") {
  Stage stage({small_request("flash2")});
  const auto brief = stage.app.words(false), complete = stage.app.words(true);
  CHECK(shell_line(brief) == "tilewalk view flash2 --n 64 --d 16 --mask causal --block-q 8 --block-kv 8");
  for (const char* flag : {"--lang", "--theme", "--scale", "--projector=false", "--answers=false",
                           "--step-size", "--speed", "--show"})
    CHECK(std::count(complete.begin(), complete.end(), flag) == 1);
  stage.app.apply(OpenLesson{"attention", "how-many"});
  stage.app.settle(1min);
  const auto lesson = stage.app.words(false);
  CHECK(std::vector<std::string>(lesson.begin(), lesson.begin() + 5) ==
        std::vector<std::string>{"view", "--lesson", "attention", "--step", "how-many"});
  CHECK(std::count(lesson.begin(), lesson.end(), "--head") == 0);
}

TEST_CASE("the transcript tells the step, its question and the run, and no answer before it is given") {
  Stage stage({small_request("flash2")});
  CHECK(transcript_of(stage.app.frame({})).find("event 0 of") != std::string::npos);
  stage.app.apply(OpenLesson{"attention", "how-many"});
  stage.app.settle(1min);
  const std::string open = transcript_of(stage.app.frame({}));
  CHECK(open.find("Predict first") != std::string::npos);
  CHECK(open.find("Answer:") == std::string::npos);
  stage.app.apply(RevealAnswer{});
  CHECK(transcript_of(stage.app.frame({})).find("Answer:") != std::string::npos);
  stage.app.apply(SetLanguage{Language::zh});
  CHECK(transcript_of(stage.app.frame({})).find("先猜一猜") != std::string::npos);
}

}  // namespace tilewalk::viz
