// A lesson's steps as JSON.
#include "cli/lesson_text.h"

namespace tilewalk {
namespace {

Json filled_json(const Filled& filled) {
  Json blocks = Json::array();
  for (const Paragraph& paragraph : filled) {
    constexpr const char* kinds[] = {"paragraph", "formula", "item", "row"};
    Json cells = Json::array();
    for (const auto& cell : paragraph.cells) {
      Json spans = Json::array();
      for (const Span& span : cell) {
        constexpr const char* names[] = {"text", "math", "strong", "number"};
        Json one = {{"kind", names[static_cast<std::size_t>(span.kind)]}, {"text", span.text}};
        if (span.kind == PieceKind::number) {
          one["origin"] = origin_words(span.origins);
          if (!span.sources.empty()) one["sources"] = span.sources;
        }
        spans.push_back(std::move(one));
      }
      cells.push_back(std::move(spans));
    }
    blocks.push_back(
        {{"kind", kinds[static_cast<std::size_t>(paragraph.kind)]}, {"cells", std::move(cells)}});
  }
  return blocks;
}

Json prediction_json(const ShownPrediction& p) {
  constexpr const char* kinds[] = {"number", "choice", "tile"};
  Json json = {
      {"kind", kinds[static_cast<std::size_t>(p.kind)]}, {"ask", filled_json(p.ask)}, {"answer", p.answer}};
  if (p.kind == PredictionKind::number) {
    json["value"] = p.number.number;
    json["origin"] = origin_words(p.number.origins);
    json["tolerance"] = p.tolerance;
  }
  json["why"] = filled_json(p.why);
  Json choices = Json::array();
  for (const ShownChoice& choice : p.choices) {
    choices.push_back({{"letter", std::string(1, choice.letter)},
                       {"right", choice.right},
                       {"text", filled_json(choice.text)},
                       {"why", filled_json(choice.why)}});
  }
  json["choices"] = std::move(choices);
  return json;
}

}  // namespace

Json step_json(const ShownStep& step) {
  constexpr const char* kinds[] = {"step", "summary", "exercise"};
  Json runs = Json::array();
  for (const ShownRun& run : step.runs) runs.push_back({{"name", run.name}, {"run", run.words}});
  return {{"id", step.step->id},
          {"kind", kinds[static_cast<std::size_t>(step.step->kind)]},
          {"title", step.title},
          {"runs", std::move(runs)},
          {"at", step.step->at},
          {"position", step.position},
          {"show", step.step->views},
          {"row", step.step->row < 0 ? Json() : Json(step.step->row)},
          {"pages", step.step->pages},
          {"text", filled_json(step.text)},
          {"prediction", step.prediction ? prediction_json(*step.prediction) : Json()}};
}

}  // namespace tilewalk
