#include "lessons/check_lesson.h"

#include <cmath>
#include <set>

#include "lessons/fill.h"
#include "lessons/prose.h"
#include "lessons/quantities.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

class Checker {
 public:
  Checker(const Lesson& lesson, Shelf& shelf, Complaints& complaints)
      : lesson_(lesson), shelf_(shelf), complaints_(complaints) {}

  void check() {
    std::set<std::string> broken;
    for (const LessonRun& run : lesson_.runs) {
      if (!tried(run.line, "run " + run.name + ": ", [&] { shelf_.open(run.words); }))
        broken.insert(run.name);
    }
    std::set<std::string> shown;
    for (const LessonStep& step : lesson_.steps) {
      bool opens = !step.runs.empty();
      for (const std::string& run : step.runs) opens = opens && !broken.contains(run);
      if (opens) check_step(step, shown);
    }
    check_prose();
  }

 private:
  template <class F>
  bool tried(int line, const std::string& before, F&& work) {
    try {
      work();
      return true;
    } catch (const RequestError& error) {
      complaints_.add(line, before + error.what());
    } catch (const ScheduleError& error) {
      complaints_.add(line, before + error.what());
    }
    return false;
  }

  void check_step(const LessonStep& step, std::set<std::string>& shown) {
    const Scene scene{lesson_, step, shelf_};
    std::uint64_t position = 0;
    if (!tried(step.at_line, "", [&] { position = scene.position(); })) return;
    std::string what = std::to_string(position);
    for (const std::string& run : step.runs) what += " " + run;
    for (const std::string& view : step.views) what += " " + view;
    if (!shown.insert(what).second)
      complaints_.add(step.line,
                      "shows the same position and views as a step before it; change 'at' or 'show'");
    for (const auto& [line, check] : step.checks) check_holds(line, check, scene);
    fill_all(step, scene);
    if (step.prediction) check_prediction(*step.prediction, step, scene);
  }
  void check_holds(int line, const Expression& check, const Scene& scene) {
    if (check.empty()) return;
    tried(line, "check: ", [&] {
      if (check.evaluate(lookup_in(scene)).number == 0)
        complaints_.add(line, "check '" + shown(check.text()) + "' does not hold");
    });
  }
  // Every placeholder by itself, so that all broken ones are told.
  void fill_all(const LessonStep& step, const Scene& scene) {
    const Lookup lookup = lookup_in(scene);
    for (const Written& written : everything_written(lesson_)) {
      if (written.step != &step) continue;
      for (const TextBlock& block : *written.markup) {
        for (const auto& cell : block.cells) {
          for (const Piece& piece : cell) {
            if (piece.kind != PieceKind::number) continue;
            tried(piece.line, "{" + piece.expression.text() + "}: ", [&] {
              if (std::isnan(piece.expression.evaluate(lookup).number))
                complaints_.add(piece.line, "{" + piece.expression.text() + "}: is not a number in this run");
            });
          }
        }
      }
    }
  }

  void check_prediction(const Prediction& p, const LessonStep& step, const Scene& scene) {
    if (p.kind == PredictionKind::number) check_number(p, scene);
    if (p.kind == PredictionKind::tile) check_tile(p, scene);
    for (const Choice& choice : p.choices) {
      if (choice.proof.empty()) continue;
      tried(choice.line, "if: ", [&] {
        if ((choice.proof.evaluate(lookup_in(scene)).number != 0) != choice.right)
          complaints_.add(choice.line,
                          "'if: " + choice.proof.text() + "' is " +
                              (choice.right ? "false in this run, though the choice is marked right"
                                            : "true in this run, though the choice is not marked right"));
      });
    }
    if (p.kind == PredictionKind::number) check_hidden(p, step, scene);
  }
  void check_number(const Prediction& p, const Scene& scene) {
    if (p.equals.empty()) return;
    tried(p.line, "equals: ", [&] {
      const double run = p.equals.evaluate(lookup_in(scene)).number;
      // An answer that is written with four figures is meant so.
      if (std::abs(run - p.stated) > 1e-3 * std::abs(p.stated))
        complaints_.add(p.line, "answer: the lesson states " + format_number(p.stated, "") +
                                    ", the run gives " + format_number(run, ""));
      for (const Trap& trap : p.traps) {
        if (trap.value.empty()) continue;
        const double wrong = trap.value.evaluate(lookup_in(scene)).number;
        if (std::abs(wrong - run) <= std::max(p.tolerance, 5e-4) * std::abs(run))
          complaints_.add(trap.line, "the trap's value is within the tolerance of the right answer");
      }
    });
  }
  void check_tile(const Prediction& p, const Scene& scene) {
    tried(p.line, "answer: ", [&] {
      const auto next = next_tile(scene.first(), scene.position());
      if (!next) return complaints_.add(p.line, "no tile follows at this position; choose another 'at'");
      if (next->first != p.row || next->second != p.col)
        complaints_.add(p.line, "answer: the lesson states tile " + std::to_string(p.row) + " " +
                                    std::to_string(p.col) + ", the run goes on with " +
                                    std::to_string(next->first) + " " + std::to_string(next->second));
    });
    for (const Trap& trap : p.traps) {
      if (trap.row == p.row && trap.col == p.col) complaints_.add(trap.line, "the trap is the right tile");
    }
  }
  // The answer must not stand in the text or the question. Small numbers are everywhere.
  void check_hidden(const Prediction& p, const LessonStep& step, const Scene& scene) {
    tried(p.line, "", [&] {
      const double answer = p.equals.evaluate(lookup_in(scene)).number;
      if (std::abs(answer) < 100 && answer == std::floor(answer)) return;
      for (const Written& written : everything_written(lesson_)) {
        if (written.step != &step || (written.markup != &p.ask.in(written.language) &&
                                      written.markup != &step.text.in(written.language)))
          continue;
        for (const TextBlock& block : *written.markup) {
          for (const auto& cell : block.cells) {
            for (const Piece& piece : cell) {
              if (piece.kind == PieceKind::number &&
                  std::abs(piece.expression.evaluate(lookup_in(scene)).number - answer) <=
                      1e-9 * std::abs(answer))
                complaints_.add(piece.line,
                                "{" + piece.expression.text() + "} shows the answer before it is asked for");
            }
          }
        }
      }
    });
  }

  void check_prose() {
    for (const Written& written : everything_written(lesson_)) {
      for (const TextBlock& block : *written.markup) {
        std::string text;
        int line = written.line;
        for (const auto& cell : block.cells) {
          for (const Piece& piece : cell) {
            line = piece.line;
            text += piece.text;
            for (const std::string& figure : bare_figures(piece))
              complaints_.add(
                  piece.line,
                  "the figure " + figure +
                      " stands in prose; make it a placeholder, so that it is counted when shown");
          }
        }
        if (!written.taught) continue;
        std::vector<std::string> wrong = forbidden_words(text);
        if (only_fused(*written.step)) {
          for (const std::string& words : forbidden_of_fused(text)) wrong.push_back(words);
        }
        for (const std::string& words : wrong)
          complaints_.add(line, "'" + words + "' is a simplification that is wrong; say what happens");
      }
    }
  }
  bool only_fused(const LessonStep& step) {
    for (const std::string& name : step.runs) {
      if (lesson_.run(name)->words.starts_with("standard")) return false;
    }
    return true;
  }

  const Lesson& lesson_;
  Shelf& shelf_;
  Complaints& complaints_;
};

}  // namespace

void check_lesson(const Lesson& lesson, Shelf& shelf, Complaints& complaints) {
  Checker(lesson, shelf, complaints).check();
}

}  // namespace tilewalk
