#include "lessons/handout.h"

#include <algorithm>

#include "lessons/fill.h"
#include "lessons/picture.h"

namespace tilewalk {
namespace {

constexpr std::string_view style = R"(
body { font: 16px/1.6 "Noto Sans", "Noto Sans CJK SC", "Microsoft YaHei", "PingFang SC", sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.2rem; margin: 2rem 0 .3rem; }
.run, .origins { color: #5a6470; font-size: .8rem; }
.formula, .math { font-family: "DejaVu Sans Mono", "Noto Sans Mono", monospace; font-size: .93em; white-space: pre-wrap; }
.formula { margin: .6rem 0 .6rem 2rem; }
.n { font-weight: 600; white-space: nowrap; } .n sup { color: #5a6470; font-weight: 400; font-size: .6em; margin-left: 1px; }
.ask { border-left: 4px solid #3f7fd0; background: #f2f6fc; padding: .4rem 1rem; margin: 1rem 0; }
table { border-collapse: collapse; margin: .8rem 0; } td, th { border: 1px solid #b9c1ca; padding: .25rem .6rem; text-align: left; }
svg { margin: .6rem 1rem .6rem 0; max-width: 100%; } ol { list-style: lower-alpha; }
.answers { break-before: page; } @media print { body { margin: 0; } h2, .ask { break-after: avoid; } section { break-inside: avoid; } }
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::string marks_of(const Origins& origins) {
  std::string marks;
  if (origins.model) marks += "m";
  if (origins.theory) marks += "t";
  if (origins.measured) marks += "x";
  if (origins.published) marks += "p";
  return marks;
}

class Page {
 public:
  Page(const Lesson& lesson, Language language, bool answers, Shelf& shelf)
      : lesson_(lesson), language_(language), answers_(answers), shelf_(shelf) {}

  std::string html() {
    std::string body, answers;
    for (std::size_t n = 0; n < lesson_.steps.size(); ++n) {
      const ShownStep step = show_step(lesson_, n, language_, shelf_);
      body += section(step);
      if (step.prediction && answers_) answers += answer(step);
    }
    const std::string title = std::to_string(lesson_.number) + ". " + escaped(lesson_.title.in(language_));
    std::string text =
        "<!doctype html>\n<html lang=\"" + std::string(zh() ? "zh-CN" : "en") +
        "\"><head><meta charset=\"utf-8\"><title>" + title + "</title><style>" + std::string(style) +
        "</style></head><body>\n<h1>" + title + "</h1>\n<p class=\"origins\">" +
        word("Marks on numbers: m model (counted by a run), t theory, x measured, p published.",
             "数字上的标记：m 模型（由运行数出），t 理论，x 实测，p 已发表。") +
        "</p>\n" + body;
    if (answers_)
      text += "<div class=\"answers\"><h1>" + word("Answers", "答案") + "</h1>\n" + answers + "</div>\n";
    if (!sources_.empty()) {
      text += "<h2>" + word("Sources", "出处") + "</h2><ul>\n";
      for (const std::string& source : sources_) text += "<li>" + escaped(source) + "</li>\n";
      text += "</ul>\n";
    }
    return text + "</body></html>\n";
  }

 private:
  bool zh() const { return language_ == Language::zh; }
  std::string word(const char* english, const char* chinese) const { return zh() ? chinese : english; }

  std::string spans(const std::vector<Span>& list) {
    std::string text;
    for (const Span& span : list) {
      switch (span.kind) {
        case PieceKind::text: text += escaped(span.text); break;
        case PieceKind::math: text += "<span class=\"math\">" + escaped(span.text) + "</span>"; break;
        case PieceKind::strong: text += "<strong>" + escaped(span.text) + "</strong>"; break;
        case PieceKind::number: text += figure(span); break;
      }
    }
    return text;
  }
  std::string figure(const Span& span) {
    for (const std::string& source : span.sources) {
      if (std::find(sources_.begin(), sources_.end(), source) == sources_.end()) sources_.push_back(source);
    }
    const std::string mark = marks_of(span.origins);
    return "<span class=\"n\" title=\"" + escaped(origin_words(span.origins)) + "\">" + escaped(span.text) +
           (mark.empty() ? "" : "<sup>" + mark + "</sup>") + "</span>";
  }
  std::string blocks(const Filled& filled) {
    std::string text;
    for (std::size_t n = 0; n < filled.size(); ++n) {
      const bool begins = n == 0 || filled[n - 1].kind != filled[n].kind;
      const bool ends = n + 1 == filled.size() || filled[n + 1].kind != filled[n].kind;
      switch (filled[n].kind) {
        case BlockKind::paragraph: text += "<p>" + spans(filled[n].cells[0]) + "</p>\n"; break;
        case BlockKind::formula:
          text += "<div class=\"formula\">" + spans(filled[n].cells[0]) + "</div>\n";
          break;
        case BlockKind::item:
          text += (begins ? "<ul>\n" : "") + ("<li>" + spans(filled[n].cells[0])) + "</li>\n" +
                  (ends ? "</ul>\n" : "");
          break;
        case BlockKind::row: {
          text += begins ? "<table>\n" : "";
          text += "<tr>";
          for (const auto& cell : filled[n].cells)
            text += (begins ? "<th>" : "<td>") + spans(cell) + (begins ? "</th>" : "</td>");
          text += "</tr>\n" + std::string(ends ? "</table>\n" : "");
          break;
        }
      }
    }
    return text;
  }
  std::string section(const ShownStep& step) {
    std::string text = "<section><h2>" + std::to_string(step.index + 1) + ". " + escaped(step.title) +
                       "</h2>\n<p class=\"run\">";
    for (const ShownRun& run : step.runs) text += escaped(run.words) + "<br>";
    text += word("position ", "位置 ") + std::to_string(step.position) + " (" + escaped(step.step->at) +
            ")</p>\n" + blocks(step.text);
    if (shows(step, "traversal") || shows(step, "tiles")) text += tiles_svg(step, language_);
    if (!step.prediction) text += traffic(step);  // else with the answer, which it might tell
    if (step.prediction) {
      text += "<div class=\"ask\"><p class=\"run\">" + word("Predict", "先猜一猜") + " (" +
              escaped(step.step->id) + ")</p>\n" + blocks(step.prediction->ask);
      if (!step.prediction->choices.empty()) {
        text += "<ol>";
        for (const ShownChoice& choice : step.prediction->choices)
          text += "<li>" + blocks(choice.text) + "</li>";
        text += "</ol>";
      }
      text += "</div>\n";
    }
    return text + "</section>\n";
  }
  static bool shows(const ShownStep& step, const char* view) {
    const auto& views = step.step->views;
    return std::find(views.begin(), views.end(), view) != views.end();
  }
  std::string traffic(const ShownStep& step) {
    return shows(step, "counters") || shows(step, "memory") ? traffic_svg(step, language_) : "";
  }
  std::string answer(const ShownStep& step) {
    const ShownPrediction& p = *step.prediction;
    std::string text = "<h2>" + std::to_string(step.index + 1) + ". " + escaped(step.title) +
                       "</h2><p><strong>" + escaped(p.answer) + "</strong></p>\n" + blocks(p.why) +
                       traffic(step);
    if (!p.choices.empty()) text += "<ol>";
    for (const ShownChoice& choice : p.choices) text += "<li>" + blocks(choice.why) + "</li>";
    if (!p.choices.empty()) text += "</ol>\n";
    if (!p.traps.empty()) text += "<ul>";
    for (const ShownTrap& trap : p.traps)
      text += "<li>" + word("not ", "若答 ") + escaped(trap.answer) + word(":", "：") + blocks(trap.why) +
              "</li>";
    return text + (p.traps.empty() ? "" : "</ul>\n");
  }

  const Lesson& lesson_;
  Language language_;
  bool answers_;
  Shelf& shelf_;
  std::vector<std::string> sources_;
};

}  // namespace

std::string handout_html(const Lesson& lesson, Language language, bool answers, Shelf& shelf) {
  return Page(lesson, language, answers, shelf).html();
}

}  // namespace tilewalk
