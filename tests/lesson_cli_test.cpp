// tilewalk lesson, run as teachers and students run it.
#include <doctest/doctest.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include "cli/table.h"
#include "cli/wrap.h"
#include "sim/parse.h"
#include "tests/program.h"

using namespace tilewalk;
using nlohmann::json;

namespace {

json json_of(Arguments arguments, int code = 0) {
  arguments.push_back("--json");
  const Result result = run_program(arguments);
  INFO(result.err);
  CHECK(result.code == code);
  return json::parse(result.out);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The right answers of a lesson, as `show --json` tells them.
std::string answers_of(const std::string& lesson, bool one_wrong) {
  std::string text = "# answers\n";
  const json shown = json_of({"lesson", "show", lesson});
  for (const json& step : shown["steps"]) {
    if (step["prediction"].is_null()) continue;
    text += step["id"].get<std::string>() + " = " +
            (one_wrong ? "99" : step["prediction"]["answer"].get<std::string>()) + "\n";
    one_wrong = false;
  }
  return text;
}

}  // namespace

TEST_CASE("list and show, in both languages") {
  const json list = json_of({"lesson", "list"});
  REQUIRE(list["items"].size() >= 16);
  for (const json& item : list["items"]) {
    const std::string id = item["name"];
    const Result en = run_program({"lesson", "show", id}),
                 zh = run_program({"lesson", "show", id, "--lang", "zh"});
    INFO(id, en.err, zh.err);
    CHECK(en.code == 0);
    CHECK(zh.code == 0);
    CHECK(has(en.out, "Predict"));
    CHECK(has(en.out, "Answer: "));
    CHECK(has(zh.out, "先猜一猜"));
    CHECK(!has(zh.out, "Predict"));
    CHECK(!has(en.out, "{"));
  }
  CHECK(run_program({"list", "lessons"}).code == 0);
}

TEST_CASE("numbers of others are marked, with their source, and text keeps to a page's width") {
  const Result counting = run_program({"lesson", "show", "counting"});
  CHECK(has(counting.out, "6.577\u1D56"));
  CHECK(has(counting.out, "\u1D56 published"));
  CHECK(has(counting.out, "without a mark: model"));
  CHECK(has(counting.out, "Fig. 2 middle"));
  for (const char* language : {"en", "zh"}) {
    const Result shown = run_program({"lesson", "show", "real-kernel", "--lang", language});
    std::string_view text = shown.out;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      INFO(line);
      const bool is_run = line.starts_with("run ") || line.starts_with("运行 ");
      CHECK((is_run || display_width(line) <= 98));  // a closing mark may stand out
    }
  }
}

TEST_CASE("show --json: steps, positions, numbers with their origin") {
  const json lesson = json_of({"lesson", "show", "7", "--lang", "zh"});
  CHECK(lesson["schema"] == 1);
  CHECK(lesson["id"] == "flash");
  bool model = false;
  for (const json& step : lesson["steps"]) {
    CHECK(step["position"].is_number_unsigned());
    CHECK(!step["runs"].empty());
    for (const json& block : step["text"]) {
      for (const json& cell : block["cells"]) {
        for (const json& span : cell)
          model = model || (span["kind"] == "number" && span["origin"] == "model");
      }
    }
  }
  CHECK(model);
}

TEST_CASE("pages: all of them") {
  const json pages = json_of({"lesson", "pages"});
  CHECK(pages["missing"] == 0);
  CHECK(pages["items"].front()["page"] == 1);
  CHECK(pages["items"].back()["page"] == 39);
}

TEST_CASE("check: a sound file, and everything that is wrong with another") {
  const std::string file = TILEWALK_SOURCE "/lessons/texts/05-online-softmax.lesson";
  CHECK(run_program({"lesson", "check", file}).code == 0);
  const TemporaryFolder folder;
  std::string text = read_file(file);
  text.replace(text.find("show: tiles"), 11, "show: tilse");
  text.replace(text.find("answer: 4"), 9, "answer: 6");
  write_file(folder / "broken.lesson", text);
  const std::string path = (folder / "broken.lesson").string();
  const Result result = run_program({"lesson", "check", path, file});
  CHECK(result.code == 1);
  CHECK(has(result.out, "broken.lesson:"));
  CHECK(has(result.out, "'tiles'"));
  CHECK(has(result.out, "the run gives 4"));
  CHECK(has(result.out, "sound"));
  const json report = json_of({"lesson", "check", path}, 1);
  CHECK(report["sound"] == false);
  CHECK(report["files"][0]["complaints"][0]["line"].get<int>() > 1);
}

TEST_CASE("a lesson of one's own is shown, exported and graded like the others") {
  const TemporaryFolder folder;
  std::string text = read_file(TILEWALK_SOURCE "/lessons/texts/01-attention.lesson");
  text.replace(text.find("title en: Attention"), 19, "title en: My lesson");
  const std::string path = (folder / "mine.lesson").string();
  write_file(path, text);
  CHECK(has(run_program({"lesson", "show", path}).out, "My lesson"));
  write_file(path, text.substr(0, 60) + "\n[step ]\n");
  const Result result = run_program({"lesson", "show", path});
  CHECK(result.code == 2);
  CHECK(has(result.err, "lesson check"));
}

TEST_CASE("export writes one page") {
  const TemporaryFolder folder;
  const json report =
      json_of({"lesson", "export", "3", "--no-slides", "--lang", "zh", "--out", folder.path().string()});
  const std::string html = read_file(report["files"][0].get<std::string>());
  CHECK(has(html, "<html lang=\"zh-CN\">"));
  CHECK(has(html, "答案"));
  CHECK(folder.entries() == 1);
}

TEST_CASE("export draws a numbered slide for each step, and one for each answer") {
  const TemporaryFolder folder;
  // Short: pictures take their time under sanitizers.
  std::ifstream readme(TILEWALK_SOURCE "/lessons/README.md");
  std::string text, line;
  for (bool inside = false; std::getline(readme, line);) {
    if (line.starts_with("    lesson: ")) inside = true;
    if (line.starts_with("## The form")) break;
    if (inside) text += (line.starts_with("    ") ? line.substr(4) : line) + "\n";
  }
  const std::string path = (folder / "own.lesson").string(), out = (folder / "out").string();
  write_file(path, text);
  const Result result = run_program({"lesson", "export", path, "--out", out, "--json"});
  REQUIRE(result.code == 0);
  const json files = json::parse(result.out)["files"];
  if (has(result.err, "no slides")) return;  // built without the viewer
  REQUIRE(files.size() == 1 + 3 + 2);
  CHECK(files[1].get<std::string>().ends_with("k-is-read-often.en-01.png"));
  CHECK(files[2].get<std::string>().ends_with("k-is-read-often.en-01-answer.png"));
  CHECK(read_file(files[1].get<std::string>()).substr(1, 3) == "PNG");
  CHECK(read_file(files[1].get<std::string>()) != read_file(files[2].get<std::string>()));
}

TEST_CASE("--no-answers: the same for students, as text and as a handout") {
  const Result with = run_program({"lesson", "show", "7"}),
               without = run_program({"lesson", "show", "7", "--no-answers"});
  CHECK(has(with.out, "Answer: "));
  CHECK(!has(without.out, "Answer: "));
  CHECK(has(without.out, "Predict (rounds)"));
  const TemporaryFolder folder;
  const json report =
      json_of({"lesson", "export", "7", "--no-answers", "--no-slides", "--out", folder.path().string()});
  const std::string html = read_file(report["files"][0].get<std::string>());
  CHECK(!has(html, "<h1>Answers"));
  CHECK(has(html, "Predict (rounds)"));
  CHECK(run_program({"lesson", "show", "7", "--no-answers", "--json"}).code == 2);
}

TEST_CASE("grade: exit 0 for all right, 1 for less, and points") {
  const TemporaryFolder folder;
  for (const char* lesson : {"online-softmax", "real-kernel", "masks"}) {
    write_file(folder / "right.txt", answers_of(lesson, false));
    write_file(folder / "wrong.txt", answers_of(lesson, true));
    CHECK(run_program({"lesson", "grade", lesson, (folder / "right.txt").string()}).code == 0);
    const json graded = json_of({"lesson", "grade", lesson, (folder / "wrong.txt").string()}, 1);
    CHECK(graded["points"].get<int>() == graded["of"].get<int>() - 1);
    CHECK(graded["passed"] == false);
  }
  const Result zh =
      run_program({"lesson", "grade", "masks", (folder / "wrong.txt").string(), "--lang", "zh"});
  CHECK(has(zh.out, "看不懂"));
  CHECK(has(zh.out, "共 4 分，得 3 分"));
  write_file(folder / "bad.txt", "no sign here\n");
  CHECK(run_program({"lesson", "grade", "1", (folder / "bad.txt").string()}).code == 2);
}

TEST_CASE("in a terminal: keys, a question, its answer, and the terminal as it was") {
  const TerminalResult result = run_in_terminal({"lesson", "show", "1"}, {{"n next", "n"},
                                                                          {"n next", "n"},
                                                                          {"your answer", "many\n"},
                                                                          {"no answer", "32768\n"},
                                                                          {"score 0/1", "q"}});
  CHECK(result.code == 0);
  CHECK(result.restored);
  CHECK(has(result.screen, "That is the size of"));
  CHECK(has(result.screen, "does not enter"));  // why the right answer is right, after a wrong one
  const TerminalResult skipped = run_in_terminal({"lesson", "show", "1"}, {{"n next", "n"},
                                                                           {"n next", "n"},
                                                                           {"your answer", "n\n"},
                                                                           {"Softmax makes weights", "p"},
                                                                           {"your answer", "q\n"}});
  CHECK(skipped.code == 0);
  CHECK(has(skipped.screen, "score 0/0"));
  const TerminalResult stopped =
      run_in_terminal({"lesson", "show", "1", "--lang", "zh"}, {{"n 下一步", "\x03"}});
  CHECK(stopped.code == 130);
  CHECK(stopped.restored);
}

TEST_CASE("lines are broken at spaces and beside Chinese, closing marks begin none, opening ones end none") {
  CHECK(wrap("one two three", 8) == "one two\nthree\n");
  CHECK(wrap("one two three", 9, "- ") == "- one two\n  three\n");
  CHECK(wrap("一二三四", 4) == "一二\n三四\n");
  CHECK(wrap("一二，三", 4) == "一\n二，\n三\n");
  CHECK(wrap("一（二）三", 6) == "一\n（二）\n三\n");
  CHECK(wrap("键。Flash三", 8) == "键。\nFlash三\n");
  CHECK(wrap("toolongword", 4) == "toolongword\n");
  CHECK(wrap("", 4) == "\n");
}
