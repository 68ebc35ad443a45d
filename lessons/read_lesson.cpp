// From sections to a lesson. Keys are tables of rows, so that an unknown one is told beside those that exist.
#include <algorithm>
#include <cmath>
#include <span>

#include "lessons/lesson.h"
#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

constexpr std::string_view header_keys[] = {"lesson", "number", "title zh", "title en"};
constexpr std::string_view step_keys[] = {"title zh", "title en", "run",   "at", "show",
                                          "row",      "pages",    "check", "zh", "en"};
constexpr std::string_view number_keys[] = {"zh",        "en",     "answer", "equals",
                                            "tolerance", "format", "why zh", "why en"};
constexpr std::string_view tile_keys[] = {"zh", "en", "answer", "why zh", "why en"};
constexpr std::string_view asked_keys[] = {"zh", "en", "why zh", "why en"};
constexpr std::string_view choice_keys[] = {"if", "zh", "en", "why zh", "why en"};
constexpr std::string_view trap_keys[] = {"value", "zh", "en"};
constexpr std::string_view section_names[] = {"step", "predict", "choice", "trap", "summary", "exercise"};

class LessonReader {
 public:
  LessonReader(Lesson& lesson, Complaints& complaints) : lesson_(lesson), complaints_(complaints) {}

  void header(const Section& s) {
    for (const Entry& e : s.entries) {
      if (e.key.starts_with("run ")) add_run(e);
    }
    known(s, header_keys, "run ");
    lesson_.id = text(s, "lesson");
    lesson_.number = static_cast<int>(whole(s, "number", 0, 999));
    lesson_.title = titles(s, true);
    if (lesson_.runs.empty())
      complaints_.add(s.line,
                      "the lesson has no run; add e.g. 'run main: flash2 --n 64 --block-q 16 --block-kv 16'");
  }
  void section(const Section& s) {
    const std::string& name = s.words[0];
    if (name == "step" || name == "summary" || name == "exercise") return step(s);
    if (name == "predict") return predict(s);
    if (name == "choice") return choice(s);
    if (name == "trap") return trap(s);
    complaints_.add(s.line, unknown_name("section", name, section_names));
  }
  void finish() {
    for (const LessonStep& step : lesson_.steps) {
      if (step.prediction) check_choices(*step.prediction);
    }
    const auto& steps = lesson_.steps;
    if (steps.size() < 3 || steps[steps.size() - 2].kind != StepKind::summary ||
        steps.back().kind != StepKind::exercise || !steps.back().prediction)
      complaints_.add(
          0, "a lesson is steps, then [summary], then [exercise] with a [predict ...]; add what is missing");
  }

 private:
  void known(const Section& s, std::span<const std::string_view> keys, std::string_view prefix = "") {
    for (const Entry& e : s.entries) {
      if (!prefix.empty() && e.key.starts_with(prefix)) continue;
      if (std::find(keys.begin(), keys.end(), e.key) == keys.end())
        complaints_.add(e.line, unknown_name("key", e.key, keys));
    }
  }
  std::string where(const Section& s) const {
    return s.words.empty() ? "the header" : "[" + s.words[0] + "]";
  }
  const Entry* need(const Section& s, std::string_view key) {
    const Entry* e = s.find(key);
    if (e && !e->lines.empty()) return e;
    complaints_.add(e ? e->line : s.line,
                    where(s) + (e ? " has an empty '" : " lacks '") + std::string(key) + "'; add it");
    return nullptr;
  }
  std::string text(const Section& s, std::string_view key) {
    const Entry* e = need(s, key);
    return e ? e->value() : "";
  }
  std::string text_or(const Section& s, std::string_view key, const std::string& otherwise) {
    return s.find(key) ? text(s, key) : otherwise;
  }
  double number(const Entry& e, std::string value) {
    std::erase(value, ' ');
    const auto number = parse_number<double>(value);
    if (number && std::isfinite(*number)) return *number;
    complaints_.add(e.line, e.key + " '" + shown(value) + "' must be a number, e.g. 4096");
    return 0;
  }
  std::int64_t whole(const Section& s, std::string_view key, std::int64_t least, std::int64_t most) {
    const Entry* e = need(s, key);
    if (!e) return least;
    const auto number = parse_number<std::int64_t>(e->value());
    if (number && *number >= least && *number <= most) return *number;
    complaints_.add(e->line, e->key + " '" + shown(e->value()) + "' must be a whole number from " +
                                 std::to_string(least) + " to " + std::to_string(most));
    return least;
  }
  Both<std::string> titles(const Section& s, bool needed) {
    Both<std::string> title;
    for (const Language language : {Language::en, Language::zh}) {
      const std::string key = "title " + std::string(language_codes[static_cast<std::size_t>(language)]);
      title.in(language) = needed || s.find(key) ? text(s, key) : "";
    }
    return title;
  }
  Both<Markup> words(const Section& s, const std::string& prefix = "") {
    Both<Markup> both;
    for (const Language language : {Language::en, Language::zh}) {
      const Entry* e = need(s, prefix + std::string(language_codes[static_cast<std::size_t>(language)]));
      if (e) both.in(language) = parse_markup(e->lines, complaints_);
    }
    return both;
  }
  Expression expression(const Entry& e) {
    try {
      return Expression::parse(e.value());
    } catch (const RequestError& error) {
      complaints_.add(e.line, e.key + ": " + error.what());
      return {};
    }
  }
  static bool is_name(std::string_view name) {
    return !name.empty() &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
  }

  void add_run(const Entry& e) {
    std::string name = e.key.substr(4);
    if (!is_name(name) || name.find('-') != std::string::npos || (name[0] >= '0' && name[0] <= '9'))
      complaints_.add(e.line, "the run's name '" + shown(name) +
                                  "' must be small letters, digits and _, e.g. 'run main: …'");
    if (e.lines.empty()) complaints_.add(e.line, "says no algorithm; e.g. '" + e.key + ": flash2 --n 64'");
    lesson_.runs.push_back({std::move(name), e.value(), e.line});
  }

  void step(const Section& s) {
    LessonStep step;
    step.line = s.line;
    step.kind = s.words[0] == "step"      ? StepKind::step
                : s.words[0] == "summary" ? StepKind::summary
                                          : StepKind::exercise;
    const bool plain = step.kind == StepKind::step;
    if (s.words.size() != (plain ? 2u : 1u))
      complaints_.add(s.line,
                      plain ? "a step has one name: [step first-load]" : "write [" + s.words[0] + "]");
    step.id = plain ? (s.words.size() > 1 ? s.words[1] : "") : s.words[0];
    if (!is_name(step.id))
      complaints_.add(s.line, "a step's name is of small letters, digits and -: [step first-load]");
    if (lesson_.find(step.id))
      complaints_.add(s.line, "there is a step '" + step.id + "' already; name it otherwise");
    known(s, step_keys);
    step.title = titles(s, plain);
    if (step.kind == StepKind::summary && step.title.of[0].empty()) step.title.of = {"Summary", "小结"};
    if (step.kind == StepKind::exercise && step.title.of[0].empty()) step.title.of = {"Exercise", "练习"};
    step.runs = run_names(s);
    step.at = text_or(s, "at", "start");
    step.at_line = s.find("at") ? s.find("at")->line : s.line;
    step.views = view_list(s);
    if (s.find("row")) step.row = whole(s, "row", 0, 1 << 30);
    if (const Entry* e = s.find("pages")) pages(*e, step.pages);
    if (const Entry* e = s.find("check")) {
      for (const TextLine& line : e->lines) {
        if (!line.text.empty()) step.checks.emplace_back(line.line, expression({line.line, "check", {line}}));
      }
    }
    step.text = words(s);
    lesson_.steps.push_back(std::move(step));
  }
  std::vector<std::string> run_names(const Section& s) {
    std::vector<std::string> names;
    std::string value = text_or(s, "run", lesson_.runs.empty() ? "" : lesson_.runs[0].name);
    std::replace(value.begin(), value.end(), ',', ' ');
    std::string_view rest = value;
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
      std::vector<std::string_view> known;
      for (const LessonRun& run : lesson_.runs) known.push_back(run.name);
      if (!lesson_.run(word))
        complaints_.add(s.find("run")->line, unknown_name("run", word, known));
      else
        names.emplace_back(word);
    }
    if (names.size() > 3) complaints_.add(s.line, "a step shows up to three runs; name fewer");
    if (names.empty() && !lesson_.runs.empty()) names.push_back(lesson_.runs[0].name);
    return names;
  }
  std::vector<std::string> view_list(const Section& s) {
    std::vector<std::string> views;
    std::string value = text(s, "show");
    std::replace(value.begin(), value.end(), ',', ' ');
    std::string_view rest = value;
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
      if (std::find(std::begin(view_names), std::end(view_names), word) == std::end(view_names))
        complaints_.add(s.find("show")->line, unknown_name("view", word, view_names));
      views.emplace_back(word);
    }
    return views;
  }
  // "7", "8-9, 12"
  void pages(const Entry& e, std::vector<int>& pages) {
    std::string value = e.value();
    std::replace(value.begin(), value.end(), ',', ' ');
    std::string_view rest = value;
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
      const auto dash = word.find('-');
      const auto first = parse_number<int>(word.substr(0, dash));
      const auto last = dash == std::string_view::npos ? first : parse_number<int>(word.substr(dash + 1));
      if (!first || !last || *first < 1 || *last > lecture_pages || *first > *last) {
        complaints_.add(e.line, "pages '" + shown(word) + "' must be from 1 to " +
                                    std::to_string(lecture_pages) + ", e.g. 12-20");
        continue;
      }
      for (int page = *first; page <= *last; ++page) pages.push_back(page);
    }
  }

  void predict(const Section& s) {
    if (lesson_.steps.empty())
      return complaints_.add(s.line, "[predict] belongs to no step; put it after one");
    LessonStep& step = lesson_.steps.back();
    if (step.prediction)
      return complaints_.add(s.line, "the step has a prediction already; make another step");
    Prediction p;
    p.line = s.line;
    static constexpr std::string_view kinds[] = {"number", "choice", "tile"};
    const std::string kind = s.words.size() == 2 ? s.words[1] : "";
    const auto found = std::find(std::begin(kinds), std::end(kinds), kind);
    if (found == std::end(kinds)) return complaints_.add(s.line, unknown_name("prediction", kind, kinds));
    p.kind = static_cast<PredictionKind>(found - std::begin(kinds));
    known(s, p.kind == PredictionKind::number ? std::span<const std::string_view>(number_keys)
             : p.kind == PredictionKind::tile ? std::span<const std::string_view>(tile_keys)
                                              : std::span<const std::string_view>(asked_keys));
    p.ask = words(s);
    p.why = words(s, "why ");
    if (p.kind == PredictionKind::number) numbers(s, p);
    if (p.kind == PredictionKind::tile) {
      if (const Entry* e = need(s, "answer")) tile(*e, p.row, p.col);
    }
    step.prediction = std::move(p);
  }
  void numbers(const Section& s, Prediction& p) {
    if (const Entry* e = need(s, "answer")) p.stated = number(*e, e->value());
    if (const Entry* e = need(s, "equals")) p.equals = expression(*e);
    p.format = text_or(s, "format", "");
    if (!is_number_format(p.format))
      complaints_.add(s.find("format")->line, "unknown format '" + shown(p.format) + "'");
    const Entry* e = s.find("tolerance");
    if (!e) return;
    std::string value = e->value();
    if (!value.ends_with('%')) return complaints_.add(e->line, "tolerance must be in percent, e.g. 1 %");
    value.pop_back();
    p.tolerance = number(*e, value) / 100;
    if (p.tolerance < 0 || p.tolerance > 0.5) complaints_.add(e->line, "tolerance must be from 0 to 50 %");
  }
  void tile(const Entry& e, std::int64_t& row, std::int64_t& col) {
    const std::string value = e.value();
    std::string_view rest = value;
    const auto i = parse_number<std::int64_t>(take_word(rest)),
               j = parse_number<std::int64_t>(take_word(rest));
    if (!i || !j || !take_word(rest).empty())
      return complaints_.add(e.line, e.key + " must be a query block and a key block, e.g. 2 1");
    row = *i;
    col = *j;
  }
  Prediction* current(const Section& s) {
    if (!lesson_.steps.empty() && lesson_.steps.back().prediction) return &*lesson_.steps.back().prediction;
    complaints_.add(s.line, "[" + s.words[0] + "] belongs to no prediction; put it after [predict ...]");
    return nullptr;
  }
  void choice(const Section& s) {
    Prediction* p = current(s);
    if (!p) return;
    if (p->kind != PredictionKind::choice)
      return complaints_.add(s.line, "[choice] belongs to [predict choice]; use [trap]");
    known(s, choice_keys);
    Choice choice;
    choice.line = s.line;
    choice.right = s.words.size() == 2 && s.words[1] == "right";
    if (s.words.size() > 1 && !choice.right) complaints_.add(s.line, "write [choice] or [choice right]");
    if (const Entry* e = choice.right ? need(s, "if") : s.find("if")) choice.proof = expression(*e);
    choice.text = words(s);
    choice.why = words(s, "why ");
    p->choices.push_back(std::move(choice));
  }
  void trap(const Section& s) {
    Prediction* p = current(s);
    if (!p) return;
    if (p->kind == PredictionKind::choice)
      return complaints_.add(s.line, "[trap] belongs to numbers and tiles; use [choice]");
    known(s, trap_keys);
    Trap trap;
    trap.line = s.line;
    trap.why = words(s);
    const Entry* e = need(s, "value");
    if (e && p->kind == PredictionKind::number) trap.value = expression(*e);
    if (e && p->kind == PredictionKind::tile) tile(*e, trap.row, trap.col);
    p->traps.push_back(std::move(trap));
  }
  void check_choices(const Prediction& p) {
    if (p.kind != PredictionKind::choice) return;
    const auto right =
        std::count_if(p.choices.begin(), p.choices.end(), [](const Choice& c) { return c.right; });
    if (p.choices.size() < 2 || p.choices.size() > 6 || right != 1)
      complaints_.add(p.line,
                      "a choice needs two to six [choice] sections, exactly one of them [choice right]");
  }

  Lesson& lesson_;
  Complaints& complaints_;
};

}  // namespace

const LessonStep* Lesson::find(std::string_view step) const {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const LessonStep& s) { return s.id == step; });
  return found == steps.end() ? nullptr : &*found;
}

const LessonRun* Lesson::run(std::string_view name) const {
  const auto found =
      std::find_if(runs.begin(), runs.end(), [&](const LessonRun& r) { return r.name == name; });
  return found == runs.end() ? nullptr : &*found;
}

Lesson read_lesson(std::string_view text, Complaints& complaints) {
  Lesson lesson;
  lesson.file = complaints.file();
  const std::vector<Section> sections = parse_sections(text, complaints);
  if (sections.empty()) return lesson;
  LessonReader reader(lesson, complaints);
  reader.header(sections[0]);
  for (std::size_t n = 1; n < sections.size(); ++n) reader.section(sections[n]);
  reader.finish();
  return lesson;
}

}  // namespace tilewalk
