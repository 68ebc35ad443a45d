#include "cli/lesson_text.h"

#include <fmt/format.h>

#include "cli/console.h"
#include "cli/table.h"
#include "sim/describe.h"

namespace tilewalk {
namespace {

constexpr std::size_t page_width = 96;

// Where a line may end: at a space, or after a wide character that no closing mark follows.
class Wrapper {
 public:
  explicit Wrapper(std::size_t width, const std::string& indent) : width_(width), indent_(indent) {}

  void take(std::string_view text) {
    while (!text.empty()) {
      const std::string_view before = text;
      const char32_t c = take_code_point(text);
      const std::string_view bytes = before.substr(0, before.size() - text.size());
      const bool wide = display_width(bytes) == 2;
      if (c == ' ') {
        flush();
        pending_space_ = !line_.empty();
        continue;
      }
      constexpr std::u32string_view closing = U"，。；：？！、）》”’」』％";
      if (wide && closing.find(c) == std::u32string_view::npos) flush();
      word_ += bytes;
      if (wide) ended_by_wide_ = true;
    }
  }
  std::string finish() {
    flush();
    return done_ + line_ + "\n";
  }

 private:
  void flush() {
    if (word_.empty()) return;
    const std::size_t needed = display_width(line_) + pending_space_ + display_width(word_);
    if (needed > width_ && !line_.empty()) {
      done_ += line_ + "\n";
      line_ = indent_;
      pending_space_ = false;
    }
    line_ += (pending_space_ ? " " : "") + word_;
    word_.clear();
    pending_space_ = false;
  }
  std::size_t width_;
  std::string indent_, done_, line_, word_;
  bool pending_space_ = false, ended_by_wide_ = false;
};

std::string cell_text(const std::vector<Span>& spans) {
  std::string text;
  for (const Span& span : spans) text += span.text;
  return text;
}

// Consecutive rows as one table, the first its header.
std::string table_text(const Filled& filled, std::size_t& n) {
  std::vector<Column> columns;
  for (const auto& cell : filled[n].cells) columns.push_back({cell_text(cell)});
  Table table(columns);
  for (++n; n < filled.size() && filled[n].kind == BlockKind::row; ++n) {
    std::vector<std::string> cells;
    for (const auto& cell : filled[n].cells) cells.push_back(cell_text(cell));
    cells.resize(std::min(cells.size(), columns.size()));
    table.add_row(cells);
  }
  return table.text(false);
}

std::string run_line(const ShownStep& step, Language language) {
  Timeline& timeline = step.runs[0].run->timeline();
  const Plan& plan = timeline.plan();
  const bool zh = language == Language::zh;
  std::string text;
  for (const ShownRun& run : step.runs)
    text += fmt::format("{} {}: {}\n", zh ? "运行" : "run", run.name, run.words);
  text += fmt::format("{} {} / {}", zh ? "位置" : "position", step.position, timeline.size());
  if (step.position > 0 && step.position < timeline.size())
    text += (zh ? "，刚做完：" : ", just done: ") + describe(timeline.event(step.position - 1), plan);
  return text + "\n";
}

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

std::string wrapped(const Filled& filled, std::size_t width) {
  std::string text;
  BlockKind before = BlockKind::paragraph;
  for (std::size_t n = 0; n < filled.size();) {
    const Paragraph& paragraph = filled[n];
    if (!text.empty() && (paragraph.kind != before || paragraph.kind == BlockKind::paragraph)) text += "\n";
    before = paragraph.kind;
    if (paragraph.kind == BlockKind::row) {
      text += table_text(filled, n);
      continue;
    }
    if (paragraph.kind == BlockKind::formula) {
      text += "    " + cell_text(paragraph.cells[0]) + "\n";
    } else {
      const bool item = paragraph.kind == BlockKind::item;
      Wrapper wrapper(width, item ? "  " : "");
      wrapper.take((item ? "- " : "") + cell_text(paragraph.cells[0]));
      text += wrapper.finish();
    }
    ++n;
  }
  return text;
}

std::string question_text(const ShownPrediction& prediction) {
  std::string text = wrapped(prediction.ask, page_width);
  for (const ShownChoice& choice : prediction.choices)
    text += fmt::format("  {}) {}", choice.letter, wrapped(choice.text, page_width));
  return text;
}

std::string step_text(const Lesson& lesson, const ShownStep& step, Language language, bool with_question) {
  const bool zh = language == Language::zh;
  std::string text = styled(fmt::format("{}. {}  [{}/{}]  {}", lesson.number, lesson.title.in(language),
                                        step.index + 1, lesson.steps.size(), step.title),
                            Style::bold, output_is_terminal()) +
                     "\n";
  text += styled(run_line(step, language), Style::dim, output_is_terminal());
  text += "\n" + wrapped(step.text, page_width);
  if (with_question && step.prediction)
    text += fmt::format("\n{} ({})\n{}", zh ? "先猜一猜" : "Predict", step.step->id,
                        question_text(*step.prediction));
  return text;
}

std::string answer_text(const ShownPrediction& prediction, Language language) {
  const bool zh = language == Language::zh;
  std::string text = fmt::format("{}{}\n{}", zh ? "答案：" : "Answer: ", prediction.answer,
                                 wrapped(prediction.why, page_width));
  for (const ShownChoice& choice : prediction.choices)
    text += fmt::format("  {}) {}", choice.letter, wrapped(choice.why, page_width));
  for (const ShownTrap& trap : prediction.traps) {
    text += fmt::format("  {} {}{}", zh ? "若答" : "not", trap.answer,
                        (zh ? "：" : ": ") + wrapped(trap.why, page_width));
  }
  return text;
}

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
