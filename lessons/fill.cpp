#include "lessons/fill.h"

#include "lessons/quantities.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

class Filler {
 public:
  explicit Filler(const Scene& scene) : lookup_(lookup_in(scene)) {}

  Value value(const Expression& expression) const { return expression.evaluate(lookup_); }
  Filled text(const Markup& markup) const {
    Filled filled;
    for (const TextBlock& block : markup) {
      Paragraph paragraph{block.kind, {}};
      for (const auto& cell : block.cells) paragraph.cells.push_back(spans(cell));
      filled.push_back(std::move(paragraph));
    }
    return filled;
  }

 private:
  std::vector<Span> spans(const std::vector<Piece>& pieces) const {
    std::vector<Span> spans;
    for (const Piece& piece : pieces) {
      if (piece.kind != PieceKind::number) {
        spans.push_back({piece.kind, piece.text, {}, {}});
        continue;
      }
      const Value value = this->value(piece.expression);
      spans.push_back({piece.kind, format_number(value.number, piece.text), value.origins, value.sources});
    }
    return spans;
  }
  Lookup lookup_;
};

std::string tile_words(std::int64_t row, std::int64_t col) {
  return std::to_string(row) + " " + std::to_string(col);
}

ShownPrediction show_prediction(const Prediction& p, Language language, const Filler& fill) {
  ShownPrediction shown;
  shown.kind = p.kind;
  shown.ask = fill.text(p.ask.in(language));
  shown.why = fill.text(p.why.in(language));
  shown.tolerance = p.tolerance;
  shown.format = p.format;
  if (p.kind == PredictionKind::number) {
    shown.number = fill.value(p.equals);
    shown.answer = format_number(shown.number.number, p.format);
  }
  if (p.kind == PredictionKind::tile) {
    shown.row = p.row;
    shown.col = p.col;
    shown.answer = tile_words(p.row, p.col);
  }
  for (const Choice& choice : p.choices) {
    const char letter = static_cast<char>('a' + shown.choices.size());
    if (choice.right) shown.answer = letter;
    shown.choices.push_back(
        {letter, choice.right, fill.text(choice.text.in(language)), fill.text(choice.why.in(language))});
  }
  for (const Trap& trap : p.traps) {
    const double number = trap.value.empty() ? 0 : fill.value(trap.value).number;
    const std::string answer =
        p.kind == PredictionKind::tile ? tile_words(trap.row, trap.col) : format_number(number, p.format);
    shown.traps.push_back({answer, number, trap.row, trap.col, fill.text(trap.why.in(language))});
  }
  return shown;
}

}  // namespace

ShownStep show_step(const Lesson& lesson, std::size_t index, Language language, Shelf& shelf) {
  const LessonStep& step = lesson.steps.at(index);
  const Scene scene{lesson, step, shelf};
  const Filler fill(scene);
  ShownStep shown;
  shown.step = &step;
  shown.index = index;
  shown.title = step.title.in(language);
  for (const std::string& name : step.runs)
    shown.runs.push_back({name, lesson.run(name)->words, &scene.run(name)});
  shown.position = scene.position();
  shown.text = fill.text(step.text.in(language));
  for (const auto& [line, check] : step.checks)
    shown.checks.push_back({check.text(), fill.value(check).number != 0});
  if (step.prediction) shown.prediction = show_prediction(*step.prediction, language, fill);
  return shown;
}

std::string plain_text(const Filled& filled) {
  std::string text;
  BlockKind before = BlockKind::paragraph;
  for (const Paragraph& paragraph : filled) {
    const bool joined = paragraph.kind == before && paragraph.kind != BlockKind::paragraph;
    if (!text.empty() && !joined) text += "\n";
    text += paragraph.kind == BlockKind::formula ? "    " : paragraph.kind == BlockKind::item ? "- " : "";
    for (std::size_t n = 0; n < paragraph.cells.size(); ++n) {
      if (n > 0) text += " | ";
      for (const Span& span : paragraph.cells[n]) text += span.text;
    }
    text += "\n";
    before = paragraph.kind;
  }
  return text;
}

}  // namespace tilewalk
