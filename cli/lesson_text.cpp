#include "cli/lesson_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"
#include "cli/table.h"
#include "cli/wrap.h"
#include "sim/describe.h"

namespace tilewalk {
namespace {

constexpr std::size_t page_width = 96;

struct OriginMark {
  bool Origins::*origin;
  const char *mark, *en, *zh;
};
constexpr OriginMark origin_marks[] = {{&Origins::model, "ᵐ", "model", "模型"},
                                       {&Origins::theory, "ᵗ", "theory", "理论"},
                                       {&Origins::measured, "ˣ", "measured", "实测"},
                                       {&Origins::published, "ᵖ", "published", "已发表"}};

// Most numbers are a run's: these alone go without a mark.
bool is_marked(const Origins& origins) { return !origins.none() && !(origins == from_model); }

std::string marks_of(const Origins& origins) {
  std::string text;
  if (!is_marked(origins)) return text;
  for (const OriginMark& row : origin_marks) text += origins.*row.origin ? row.mark : "";
  return text;
}

std::string cell_text(const std::vector<Span>& spans) {
  std::string text;
  for (const Span& span : spans) text += span.text + marks_of(span.origins);
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

std::string run_lines(const ShownStep& step, Language language) {
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

std::string question_text(const ShownPrediction& prediction) {
  std::string text = text_of(prediction.ask);
  for (const ShownChoice& choice : prediction.choices)
    text += text_of(choice.text, fmt::format("  {}) ", choice.letter));
  return text;
}

struct Seen {
  Origins origins;
  bool run = false, marked = false;  // some number is of a run alone; some bears a mark
  std::vector<std::string> sources;  // each once
};

void see(const Span& span, Seen& seen) {
  seen.run = seen.run || span.origins == from_model;
  if (!is_marked(span.origins)) return;
  seen.marked = true;
  seen.origins = seen.origins | span.origins;
  for (const std::string& source : span.sources) {
    if (std::find(seen.sources.begin(), seen.sources.end(), source) == seen.sources.end())
      seen.sources.push_back(source);
  }
}

}  // namespace

std::string text_of(const Filled& filled, const std::string& first) {
  const std::string indent(display_width(first), ' ');
  std::string text;
  BlockKind before = BlockKind::paragraph;
  for (std::size_t n = 0; n < filled.size();) {
    const Paragraph& paragraph = filled[n];
    if (n > 0 && (paragraph.kind != before || paragraph.kind == BlockKind::paragraph)) text += "\n";
    before = paragraph.kind;
    if (paragraph.kind == BlockKind::row) {
      text += table_text(filled, n);
      continue;
    }
    const std::string begin = (n == 0 ? first : indent) + (paragraph.kind == BlockKind::item ? "- " : "");
    const std::string line = cell_text(paragraph.cells[0]);
    text +=
        paragraph.kind == BlockKind::formula ? begin + "    " + line + "\n" : wrap(line, page_width, begin);
    ++n;
  }
  return text;
}

std::string origin_lines(const std::vector<const Filled*>& texts, Language language) {
  Seen seen;
  for (const Filled* filled : texts) {
    for (const Paragraph& paragraph : *filled) {
      for (const auto& cell : paragraph.cells) {
        for (const Span& span : cell) see(span, seen);
      }
    }
  }
  if (!seen.marked) return "";
  const bool zh = language == Language::zh;
  std::string text;
  for (const OriginMark& row : origin_marks) {
    if (seen.origins.*row.origin)
      text += fmt::format("{}{} {}", text.empty() ? "" : "  ", row.mark, zh ? row.zh : row.en);
  }
  if (seen.run) text += zh ? "  没有标记的：模型" : "  without a mark: model";
  text += "\n";
  for (const std::string& source : seen.sources) text += wrap(source, page_width, "  ");
  return text;
}

std::string step_text(const Lesson& lesson, const ShownStep& step, Language language) {
  const bool zh = language == Language::zh, colour = output_is_terminal();
  std::string text = styled(fmt::format("{}. {}  [{}/{}]  {}", lesson.number, lesson.title.in(language),
                                        step.index + 1, lesson.steps.size(), step.title),
                            Style::bold, colour) +
                     "\n" + styled(run_lines(step, language), Style::dim, colour) + "\n" + text_of(step.text);
  std::vector<const Filled*> texts = {&step.text};
  if (step.prediction) {
    text += fmt::format("\n{} ({})\n{}", zh ? "先猜一猜" : "Predict", step.step->id,
                        question_text(*step.prediction));
    texts.push_back(&step.prediction->ask);
    for (const ShownChoice& choice : step.prediction->choices) texts.push_back(&choice.text);
  }
  const std::string origins = origin_lines(texts, language);
  return origins.empty() ? text : text + "\n" + styled(origins, Style::dim, colour);
}

std::string answer_text(const ShownPrediction& prediction, Language language) {
  const bool zh = language == Language::zh;
  std::string text = fmt::format("{}{}{}\n", zh ? "答案：" : "Answer: ", prediction.answer,
                                 marks_of(prediction.number.origins)) +
                     text_of(prediction.why);
  std::vector<const Filled*> texts = {&prediction.why};
  for (const ShownChoice& choice : prediction.choices) {
    text += text_of(choice.why, fmt::format("  {}) ", choice.letter));
    texts.push_back(&choice.why);
  }
  for (const ShownTrap& trap : prediction.traps) {
    text += text_of(trap.why, fmt::format("  {} {}{}", zh ? "若答" : "not", trap.answer, zh ? "：" : ": "));
    texts.push_back(&trap.why);
  }
  return text + styled(origin_lines(texts, language), Style::dim, output_is_terminal());
}

}  // namespace tilewalk
