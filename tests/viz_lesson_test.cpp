// Lessons in the viewer: a step sets the run, the place, the views and the row; questions keep their answers.
#include <filesystem>
#include <fstream>

#include "lessons/lessons.h"
#include "tests/viz_stage.h"
#include "tests/viz_texts.h"
#include "viz/settings_file.h"
#include "viz/viewer.h"
#include "viz/views.h"

using namespace tilewalk;
using namespace tilewalk::viz;

namespace {

// The words of all texts in a row: a paragraph is drawn a line, and a line a word kind, at a time.
std::string everything_seen(const Stage& stage) {
  std::string all;
  for (const DrawnText& text : stage.texts) all += text.text + " ";
  return all;
}

// Somewhere in the lessons there is a question of this kind.
std::pair<const Lesson*, const LessonStep*> question(PredictionKind kind) {
  for (const Lesson& lesson : lessons()) {
    for (const LessonStep& step : lesson.steps) {
      if (step.prediction && step.prediction->kind == kind) return {&lesson, &step};
    }
  }
  return {};
}

const LessonFrame& book(const Stage& stage) { return *stage.app.frame({}).lesson; }

const ShownPrediction& asked(const Stage& stage) { return *book(stage).step->prediction; }

void open(Stage& stage, const Lesson& lesson, const LessonStep& step) {
  stage.app.apply(OpenLesson{lesson.id, step.id});
  REQUIRE(book(stage).step);
  REQUIRE(book(stage).step->step->id == step.id);
}

}  // namespace

TEST_CASE("every step of every lesson sets run, place, views and row, and is drawn in both languages") {
  Settings settings;
  Stage stage({small_request("flash2")}, settings);
  for (const Lesson& lesson : lessons()) {
    for (std::size_t n = 0; n < lesson.steps.size(); ++n) {
      INFO(lesson.id, " ", lesson.steps[n].id);
      if (n == 0)
        stage.app.apply(OpenLesson{lesson.id, "1"});
      else
        stage.app.apply(TurnPage{1});
      const ShownStep& step = *book(stage).step;
      REQUIRE(step.index == n);
      for (const Language language : {Language::en, Language::zh}) {
        stage.app.apply(SetLanguage{language});
        stage.draw({1280, 720});
        CHECK(overlap_in(stage.texts) == "");
        CHECK(cut_in(stage.texts) == "");
      }
      const Frame frame = stage.app.frame({});
      CHECK(frame.notice == "");
      REQUIRE(frame.runs.size() == step.runs.size());
      for (std::size_t r = 0; r < step.runs.size(); ++r) {
        const Plan& plan = frame.runs[r].plan();
        CHECK(plan.algorithm().name == step.runs[r].run->plan().algorithm().name);
        CHECK(plan.problem().n_q == step.runs[r].run->plan().problem().n_q);
        CHECK(plan.config.tiling.block_kv == step.runs[r].run->plan().config.tiling.block_kv);
        CHECK(frame.runs[r].facts.request.fault == step.runs[r].run->request().fault);
      }
      CHECK(frame.runs[0].moment.position == step.position);
      CHECK(frame.selection.row == step.step->row);
      for (const std::string& view : step.step->views)
        CHECK(std::find(frame.settings.raised.begin(), frame.settings.raised.end(), view_named(view)) !=
              frame.settings.raised.end());
    }
  }
}

TEST_CASE("a question hides its answer until it is answered, and keeps what was answered") {
  for (const PredictionKind kind : {PredictionKind::number, PredictionKind::choice, PredictionKind::tile}) {
    const auto [lesson, step] = question(kind);
    REQUIRE(step);
    INFO(lesson->id, " ", step->id);
    Stage stage({small_request("flash2")});
    open(stage, *lesson, *step);
    stage.draw({1920, 1600});
    // Up to the first space, which in numbers does not break.
    const std::string answer_line = ("Answer: " + asked(stage).answer).substr(0, 10);
    CHECK(!stage.shows(answer_line));
    CHECK(stage.shows("Predict first"));
    CHECK(!stage.shows("Next: "));  // it may be what is asked
    CHECK(!stage.shows("HBM bytes so far"));
    stage.app.apply(RaiseView{ViewId::counters});
    stage.draw({1920, 1600});
    CHECK(!stage.shows("HBM bytes so far"));
    CHECK(stage.shows("Shown once the question is answered."));

    stage.app.apply(AnswerPrediction{"something else"});
    stage.draw({1920, 1600});
    CHECK(stage.shows("That is no answer"));
    CHECK(!book(stage).given);

    stage.app.apply(AnswerPrediction{asked(stage).answer});
    stage.draw({1920, 1600});
    REQUIRE(book(stage).given);
    CHECK(book(stage).given->right);
    CHECK(stage.shows("Right."));
    CHECK(stage.shows("HBM bytes so far"));
    CHECK((stage.shows("Next: ") || stage.shows("This is the end")));
    CHECK(stage.shows(answer_line));
    CHECK(stage.shows("1 of 1 right"));

    // The first answer counts, also after the window was closed.
    stage.app.apply(AnswerPrediction{kind == PredictionKind::number ? "12345"
                                     : kind == PredictionKind::tile ? "77 77"
                                                                    : "z"});
    const Settings kept = parse_settings(format_settings(stage.app.settings()));
    Stage next({small_request("flash2")}, kept);
    next.app.apply(OpenLesson{lesson->id});
    CHECK(book(next).step->step->id == step->id);  // where it was left
    REQUIRE(book(next).given);
    CHECK(book(next).given->right);
    next.app.apply(AskAgain{});
    CHECK(!book(next).given);
    next.app.apply(RevealAnswer{});
    next.draw({1920, 1600});
    CHECK(next.shows(answer_line));
    CHECK(next.shows("0 of 1 right"));
  }
}

TEST_CASE("a wrong choice is explained, and a teacher sees every explanation") {
  const auto [lesson, step] = question(PredictionKind::choice);
  Stage stage({small_request("flash2")});
  open(stage, *lesson, *step);
  const auto wrong = std::find_if(asked(stage).choices.begin(), asked(stage).choices.end(),
                                  [](const ShownChoice& c) { return !c.right; });
  const auto first_words = [](const Filled& why) { return plain_text(why).substr(0, 12); };
  stage.app.apply(AnswerPrediction{std::string(1, wrong->letter)});
  stage.draw({1920, 1600});
  CHECK(stage.shows("Not so."));
  CHECK(everything_seen(stage).find(first_words(wrong->why)) != std::string::npos);
  stage.app.apply(AskAgain{});
  stage.app.apply(ToggleAnswers{});
  stage.draw({1920, 1600});
  for (const ShownChoice& choice : asked(stage).choices) {
    if (!choice.right) CHECK(everything_seen(stage).find(first_words(choice.why)) != std::string::npos);
  }
  CHECK(stage.shows("Answer: " + asked(stage).answer));
}

TEST_CASE("a tile is answered by a click on it, and afterwards clicks go there again") {
  const auto [lesson, step] = question(PredictionKind::tile);
  Stage stage({small_request("flash2")});
  open(stage, *lesson, *step);
  stage.draw({1600, 900});
  const std::uint64_t at = stage.run().moment.position;
  stage.app.apply(SeekTile{asked(stage).row, asked(stage).col});
  REQUIRE(book(stage).given);
  CHECK(book(stage).given->right);
  CHECK(stage.run().moment.position == at);
  stage.app.apply(SeekTile{asked(stage).row, asked(stage).col});
  CHECK(stage.run().moment.position != at);
}

TEST_CASE("a whole lesson by keys") {
  Stage stage({small_request("flash2")});
  const Lesson& lesson = lessons()[6];
  stage.app.apply(OpenLesson{lesson.id, "1"});
  for (std::size_t n = 0; n < lesson.steps.size(); ++n) {
    stage.draw({1600, 900});
    REQUIRE(book(stage).step->index == n);
    if (book(stage).step->prediction) {
      CHECK(stage.app.press(
          {book(stage).step->prediction->kind == PredictionKind::choice ? Key::digit1 : Key::r,
           book(stage).step->prediction->kind == PredictionKind::choice}));
      CHECK(book(stage).given);
    }
    CHECK(stage.app.press({Key::page_down}));
  }
  CHECK(book(stage).step->index == lesson.steps.size() - 1);  // the last page stays
  stage.app.press({Key::page_up});
  CHECK(book(stage).step->index == lesson.steps.size() - 2);
  stage.app.press({Key::l});
  stage.draw({1600, 900});
  CHECK(!book(stage).lesson);
  CHECK(stage.shows(lesson.title.in(Language::en)));
}

TEST_CASE("a lesson of one's own is dropped on the window, and a broken one says what is wrong") {
  const auto folder = std::filesystem::temp_directory_path();
  const auto write = [&](const char* name, std::string_view text) {
    const std::string path = (folder / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  };
  const std::string sound = write("tilewalk_own.lesson", lesson_texts().front().text);
  const std::string broken = write("tilewalk_broken.lesson", "lesson: x\nnonsense: 3\n");
  Stage stage({small_request("flash2")});
  stage.app.apply(OpenFiles{{sound}});
  stage.draw({1600, 900});
  REQUIRE(book(stage).step);
  const std::string id = book(stage).lesson->id;
  stage.app.apply(OpenFiles{{broken}});
  stage.draw({1600, 900});
  CHECK(stage.app.frame({}).notice.find("tilewalk_broken.lesson:") != std::string::npos);
  CHECK(book(stage).lesson->id == id);
  stage.app.apply(OpenLesson{"no-such-lesson"});
  CHECK(stage.app.frame({}).notice.find("no-such-lesson") != std::string::npos);
  stage.app.apply(OpenLesson{id, "99"});
  CHECK(stage.app.frame({}).notice.find("--step") != std::string::npos);
  std::filesystem::remove(sound);
  std::filesystem::remove(broken);
}

TEST_CASE("lessons are neither cut nor laid over one another at large scales, in either language") {
  for (const float scale : {1.5f, 2.0f}) {
    for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1920, 1080}}) {
      Settings settings;
      settings.scale = scale;
      settings.answers = true;
      Stage stage({small_request("flash2")}, settings);
      for (const char* name : {"1", "7", "15", "16"}) {
        stage.app.apply(OpenLesson{name, "1"});
        for (std::size_t n = 0; n < book(stage).lesson->steps.size(); ++n, stage.app.apply(TurnPage{1})) {
          stage.app.apply(ToggleLanguage{});
          stage.draw(size);
          INFO("lesson ", std::string(name), " step ", n + 1, " scale ", scale, " ", size.x, "x", size.y);
          CHECK(overlap_in(stage.texts) == "");
          CHECK(cut_in(stage.texts) == "");
        }
      }
      stage.app.apply(CloseLesson{});
      stage.draw(size);
      CHECK(overlap_in(stage.texts) == "");
      CHECK(cut_in(stage.texts) == "");
    }
  }
}
