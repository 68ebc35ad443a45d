// Lesson files that are wrong: each gets its complaint with its line, and never a crash.
#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <random>

#include "lessons/check_lesson.h"
#include "lessons/fill.h"
#include "lessons/grade.h"
#include "lessons/lessons.h"
#include "sim/error.h"

using namespace tilewalk;

namespace {

constexpr std::string_view sound = R"(lesson: test
number: 99
title en: A test
title zh: 测试
run main: flash2 --arch toy
run std: standard --arch toy
[step first]
title en: First
title zh: 第一步
at: load K 1
show: memory, tiles
row: 0
check: hbm > 0
en:
  Bytes so far: {so_far.hbm_read : B}.
zh:
  目前的字节：{so_far.hbm_read : B}。
[predict number]
answer: 4
equals: hbm_read.K / (n * d * elem)
tolerance: 1 %
en: How often is K read?
zh: K 读几遍？
why en: Once a query block.
why zh: 每个查询块一遍。
[trap]
value: 8
en: Blocks share a load.
zh: 一块共用一次读。
[step second]
title en: Second
title zh: 第二步
at: tile 1 1
show: memory
en: Go on.
zh: 继续。
[predict tile]
answer: 1 1
en: Which is next?
zh: 下一块是？
why en: Along the keys.
why zh: 沿着键走。
[summary]
at: end
show: memory
en: Done.
zh: 完成。
[exercise]
at: end
show: counters
en: Think.
zh: 想一想。
[predict choice]
en: Which moves less?
zh: 哪个搬得少？
why en: Count.
why zh: 数一数。
[choice right]
if: main.hbm < std.hbm
en: Fused.
zh: 融合的。
why en: Yes.
why zh: 对。
[choice]
if: main.hbm > std.hbm
en: Standard.
zh: 标准的。
why en: No.
why zh: 不对。
)";

std::string with(std::string_view what, std::string_view instead) {
  std::string text(sound);
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), instead);
}

int line_of(std::string_view what) {
  return 1 + static_cast<int>(std::count(
                 sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(sound.find(what)), '\n'));
}

Complaints complaints_of(std::string_view text) {
  Complaints complaints("test.lesson");
  const Lesson lesson = read_lesson(text, complaints);
  Shelf shelf;
  check_lesson(lesson, shelf, complaints);
  return complaints;
}

struct Broken {
  std::string_view what, instead;  // in the sound lesson
  int line;                        // relative to that of `what`
  std::string_view said;           // part of the complaint
};

const Broken table[] = {
    {"show: memory, tiles", "show: memry", 0, "'memory'"},
    {"row: 0", "rwos: 0", 0, "unknown key 'rwos'"},
    {"at: load K 1", "at: load K 99", 0, "no such event"},
    {"at: load K 1", "at: event 100000", 0, "events"},
    {"at: load K 1", "at: lod K 1", 0, "'load'"},
    {"zh:\n  目前的字节：{so_far.hbm_read : B}。\n", "", -9, "lacks 'zh'"},
    {"title zh: 第一步\n", "", -2, "lacks 'title zh'"},
    {"{so_far.hbm_read : B}", "{so_far.hbm_raed : B}", 0, "hbm_raed"},
    {"{so_far.hbm_read : B}", "{so_far.hbm_read : bites}", 0, "unknown format"},
    {"{so_far.hbm_read : B}", "{1 +}", 0, "ends too early"},
    {"{so_far.hbm_read : B}", "{m[0", 0, "not closed"},
    {"{so_far.hbm_read : B}", "{m[7]}", 0, "outside the tile"},
    {"{so_far.hbm_read : B}", "{published.fa1.fig2.bc64}", 0, "bc64_gb"},
    {"{so_far.hbm_read : B}", "96", 0, "the figure 96"},
    {"{so_far.hbm_read : B}", "{0 / 0}", 0, "not a number"},
    {"Bytes so far:", "It needs O(1) accesses:", 0, "simplification"},
    {"Bytes so far:", "It writes S to HBM:", 0, "simplification"},
    {"Bytes so far:", "The softmax is normalised per tile:", 0, "simplification"},
    {"目前的字节：", "逐块归一化：", 0, "simplification"},
    {"Bytes so far:", "Take the softmax of each tile by itself:", 0, "simplification"},
    {"Bytes so far:", "The kernel stores `S` and `P` back to HBM:", 0, "simplification"},
    {"目前的字节：", "把 `S` 和 `P` 写回 HBM：", 0, "simplification"},
    {"check: hbm > 0", "check: hbm < 0", 0, "does not hold"},
    {"answer: 4", "answer: 5", -1, "the run gives 4"},
    {"answer: 4", "answer: four", 0, "must be a number"},
    {"tolerance: 1 %", "tolerance: 1", 0, "percent"},
    {"value: 8", "value: 4", -1, "within the tolerance"},
    {"answer: 1 1", "answer: 0 1", -1, "goes on with 1 1"},
    {"if: main.hbm < std.hbm", "if: main.hbm > std.hbm", -1, "false in this run"},
    {"if: main.hbm > std.hbm", "if: main.hbm < std.hbm", -1, "true in this run"},
    {"[choice right]", "[choice]", -5, "exactly one"},
    {"[predict tile]", "[predict tyle]", 0, "'tile'"},
    {"[summary]", "[sumary]", 0, "'summary'"},
    {"[step second]", "[step first]", 0, "already"},
    {"[step second]\n", "[step second]\nrun: other\n", 1, "'other'"},
    {"at: tile 1 1\nshow: memory", "at: load K 1\nshow: memory, tiles", -3, "same position and views"},
    {"run main: flash2 --arch toy", "run main: flash3 --arch toy", 0, "flash2"},
    {"run main: flash2 --arch toy", "run main: flash2 --arch toy --block-kv 64 --n 64", 0, "sram"},
    {"run main: flash2 --arch toy", "run main: flash2 --n 8192", 0, "too large"},
    {"run main: flash2 --arch toy", "run main: flash2 --nn 8", 0, "'n'"},
    {"run main: flash2 --arch toy", "run main: flash2 --q q.npy --k k.npy --v v.npy", 0, "unknown flag"},
    {"run main: flash2 --arch toy", "run main: recorded nothing", 0, "no such recording"},
    {"run main: flash2 --arch toy", "run main: flash2 --mask blocks:/etc/passwd", 0, "lessons/data"},
    {"row: 0", "row: -1", 0, "whole number"},
    {"row: 0", "pages: 12-40", 0, "1 to 39"},
    {"en: Go on.", "en: Go `on.", 0, "not closed"},
    {"en: Go on.", "\ten: Go on.", 0, "tab"},
    {"en: Go on.", "Go on.", 0, "key: value"},
    {"en: Go on.", "en: Go \xFF on.", 0, "UTF-8"},
    {"number: 99", "number: ninety", 0, "whole number"},
};

}  // namespace

TEST_CASE("the sound lesson is sound") {
  const Complaints complaints = complaints_of(sound);
  CHECK_MESSAGE(complaints.empty(), complaints.text());
}

TEST_CASE("the worked lesson of lessons/README.md is sound") {
  std::ifstream file(TILEWALK_SOURCE "/lessons/README.md");
  std::string text, line;
  bool inside = false;
  while (std::getline(file, line)) {
    if (line.starts_with("    lesson: ")) inside = true;
    if (line.starts_with("## The form")) inside = false;
    if (inside) text += (line.starts_with("    ") ? line.substr(4) : line) + "\n";
  }
  REQUIRE(text.size() > 500);
  const Complaints complaints = complaints_of(text);
  CHECK_MESSAGE(complaints.empty(), complaints.text());
}

TEST_CASE("what is wrong is told, with its line and a remedy") {
  for (const Broken& row : table) {
    INFO(row.what, " -> ", row.instead);
    const Complaints complaints = complaints_of(with(row.what, row.instead));
    const std::string text = complaints.text();
    INFO(text);
    bool found = false;
    for (const Complaint& complaint : complaints.list())
      found = found || (complaint.what.find(row.said) != std::string::npos &&
                        complaint.line == line_of(row.what) + row.line);
    CHECK(found);
    CHECK(text.find('\0') == std::string::npos);
  }
}

TEST_CASE("everything is told at once") {
  std::string text = with("row: 0", "rwo: 0");
  text.replace(text.find("answer: 1 1"), 11, "answer: 0 1");
  text.replace(text.find("why zh: 对。"), std::string_view("why zh: 对。").size(), "whyzh: 对。");
  const Complaints complaints = complaints_of(text);
  CHECK(complaints.list().size() >= 4);
}

TEST_CASE("an answer that the text shows is told") {
  const Complaints complaints = complaints_of(
      with("answer: 4\nequals: hbm_read.K / (n * d * elem)", "answer: 512\nequals: hbm_read.K"));
  CHECK(complaints.empty());
  std::string text =
      with("answer: 4\nequals: hbm_read.K / (n * d * elem)", "answer: 512\nequals: hbm_read.K");
  text.replace(text.find("{so_far.hbm_read : B}"), 21, "{hbm_read.K}");
  CHECK(complaints_of(text).text().find("before it is asked") != std::string::npos);
}

TEST_CASE("huge and binary files are refused with a line") {
  const std::string large(10 << 20, 'a');
  Complaints complaints = complaints_of(large);
  REQUIRE(!complaints.empty());
  CHECK(complaints.list()[0].what.find("larger") != std::string::npos);
  complaints =
      complaints_of(std::string_view("lesson: x\n\0\x7f"
                                     "ELF",
                                     15));
  REQUIRE(!complaints.empty());
  CHECK(complaints.list()[0].line == 2);
  const std::string paragraph = "en: Go on softmax each " + std::string(900'000, 'S') + ".";
  complaints_of(with("en: Go on.", paragraph));  // and does not use up the stack
  std::string lines;
  for (int n = 0; n < 400000; ++n) lines += "ab\n";
  CHECK(complaints_of(lines.substr(0, 1 << 20)).list().size() == 100);
}

TEST_CASE("a megabyte of anything is told about within seconds") {
  const auto megabyte = [](const std::string& begin, const auto& part) {
    std::string text = begin;
    for (int n = 0; text.size() + 64 < most_lesson_bytes; ++n) text += part(n);
    return text;
  };
  const auto numbered = [](const char* before, const char* after) {
    return [=](int n) { return before + std::to_string(n) + after; };
  };
  for (const std::string& text :
       {megabyte("", numbered("[step s", "]\n")), megabyte("", numbered("run r", ": flash2\n")),
        megabyte("[step a]\n", numbered("key", ": x\n")), megabyte("[step a]\nen: ", numbered("|", "")),
        megabyte("[step a]\nen: ", numbered("{", "}")), megabyte("[step a]\nen:\n", numbered("  |", "|\n")),
        megabyte("[step a]\nshow: ", numbered("view", " ")), megabyte("[step a]\nen: ", numbered("`", "")),
        megabyte("[step a]\n[predict choice]\n", numbered("[choice", "]\n"))}) {
    INFO(text.substr(0, 60));
    const auto begin = std::chrono::steady_clock::now();
    CHECK(!complaints_of(text).empty());
    const auto took = std::chrono::steady_clock::now() - begin;
    CHECK(std::chrono::duration<double>(took).count() < 10);  // with sanitizers, on a busy machine
  }
}

TEST_CASE("random damage never crashes") {
  std::mt19937 random(7);
  const std::vector<LessonText> texts = lesson_texts();
  Shelf shelf;
  for (int n = 0; n < 300; ++n) {
    std::string text(n % 2 ? sound : texts[random() % texts.size()].text);
    for (unsigned k = 0; k < 1 + random() % 8; ++k) {
      const auto at = random() % text.size();
      switch (random() % 4) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, random() % 40); break;
        case 2: text.insert(at, text.substr(random() % text.size(), random() % 60)); break;
        case 3: text[at] = "{}[]:`|*#\n 0"[random() % 12]; break;
      }
    }
    Complaints complaints("damaged.lesson");
    const Lesson lesson = read_lesson(text, complaints);
    if (n % 2) check_lesson(lesson, shelf, complaints);
    CHECK(complaints.list().size() <= 100);
  }
}

TEST_CASE("answers: units, grouping, tolerance, tiles, letters") {
  Complaints complaints("test.lesson");
  const Lesson lesson = read_lesson(sound, complaints);
  Shelf shelf;
  const ShownStep number = show_step(lesson, 0, Language::en, shelf);
  for (const char* right : {"4", "4.0", " 4 ", "8/2", "4.03", "4x", "4 B", "0.004k"})
    CHECK(judge(*number.prediction, right).right);
  for (const char* wrong : {"4.1", "3.9", "8", "-4", "4k"}) {
    CHECK(judge(*number.prediction, wrong).understood);
    CHECK(!judge(*number.prediction, wrong).right);
  }
  for (const char* none : {"", "four", "4 4 b x", "nan", "1e999"})
    CHECK(!judge(*number.prediction, none).right);
  const ShownStep tile = show_step(lesson, 1, Language::en, shelf);
  for (const char* right : {"1 1", "(1, 1)", "1,1"}) CHECK(judge(*tile.prediction, right).right);
  for (const char* wrong : {"1 0", "0 1"}) CHECK(!judge(*tile.prediction, wrong).right);
  CHECK(!judge(*tile.prediction, "1").understood);
  const ShownStep choice = show_step(lesson, 3, Language::en, shelf);
  CHECK(judge(*choice.prediction, "a").right);
  CHECK(judge(*choice.prediction, "A ").right);
  CHECK(!judge(*choice.prediction, "b").right);
  CHECK(!judge(*choice.prediction, "c").understood);
}

TEST_CASE("grades: points, what was not answered, and answers files that are wrong") {
  Complaints complaints("test.lesson");
  const Lesson lesson = read_lesson(sound, complaints);
  Shelf shelf;
  const auto graded = [&](std::string_view answers) {
    return grade(lesson, answers, "a.txt", Language::en, shelf);
  };
  CHECK(graded("first = 4\nsecond = 1 1\nexercise = a\n").passed());
  CHECK(graded("# mine\r\nfirst = 8\r\nexercise = a\r\n").points() == 1);
  CHECK(graded("").points() == 0);
  CHECK(plain_text(graded("first = 8").marks[0].why) == "Blocks share a load.\n");
  for (const auto& [answers, part] :
       {std::pair{"first 4", "line 1"}, {"\nfrist = 4", "'first'"}, {"first = 4\nfirst = 5", "line 2"}}) {
    try {
      graded(answers);
      CHECK(false);
    } catch (const RequestError& error) {
      CHECK(std::string(error.what()).find(part) != std::string::npos);
    }
  }
}

TEST_CASE("numbers are written as people read them") {
  for (const auto& [number, format, text] : {std::tuple{4460544.0, "bytes", "4.46\u00A0MB"},
                                             {999.6e3, "bytes", "1\u00A0MB"},
                                             {0.0, "bytes", "0\u00A0B"},
                                             {4460544.0, "", "4\u00A0460\u00A0544"},
                                             {4096.0, "", "4096"},
                                             {0.12345, "percent", "12.3\u00A0%"},
                                             {2.5e-6, "time", "2.5\u00A0\u00B5s"},
                                             {1.2345e-5, "sci", "1.23\u00B710\u207B\u2075"},
                                             {0.274, "sci", "0.274"},
                                             {-1.5, "", "\u22121.5"},
                                             {1 / 3.0, "", "0.3333"},
                                             {2.25, ".1", "2.2"},
                                             {-0.0001, ".2", "0.00"},
                                             {3.0, "x", "3\u00A0\u00D7"}}) {
    CHECK(format_number(number, format) == text);
  }
  CHECK(format_number(-INFINITY, "") == "\u2212\u221E");
  CHECK(format_number(NAN, "bytes") == "NaN");
}

TEST_CASE("expressions: binding, functions, what is refused") {
  const Lookup one = [](const Quantity& q, std::span<const double> indices) {
    if (q.path[0] == "a") return Value{indices.empty() ? 7.0 : indices[0], from_model, {}};
    throw RequestError("unknown");
  };
  const auto value = [&](std::string_view text) { return Expression::parse(text).evaluate(one).number; };
  for (const auto& [text, result] : {std::pair{"1 + 2 * 3", 7.0},
                                     {"(1 + 2) * 3", 9},
                                     {"2 ^ 3 ^ 2", 512},
                                     {"-2 ^ 2", -4},
                                     {"8 / 4 / 2", 1},
                                     {"5 - 3 - 1", 1},
                                     {"ceil(1.2) + floor(1.8)", 3},
                                     {"max(1, min(5, 3))", 3},
                                     {"a - a[3, 1]", 4},
                                     {"1 < 2 and not 2 < 1", 1},
                                     {"0 or 0", 0},
                                     {"1 <= 1 and 1 >= 1 and 1 == 1 and 1 != 2", 1},
                                     {"log2(8) * sqrt(4) * abs(-1)", 6},
                                     {"1e3", 1000}}) {
    INFO(text);
    CHECK(value(text) == doctest::Approx(result));
  }
  for (const char* text : {"", "1 +", "(1", "1)", "a[1", "min(1)", "1 2", "a.", ".5x", "#", "and"}) {
    INFO(text);
    CHECK_THROWS_AS(value(text), RequestError);
  }
  CHECK_THROWS_AS(Expression::parse(std::string(100000, '(')), RequestError);
  CHECK_THROWS_AS(Expression::parse(std::string(100000, '-')), RequestError);
  CHECK(Expression::parse("a / 2").evaluate(one).origins == from_model);
}
