#include "viz/transcript.h"

#include "viz/lesson_book.h"
#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/views.h"

namespace tilewalk::viz {
namespace {

void add(std::string& text, std::string_view line) {
  while (line.ends_with('\n')) line.remove_suffix(1);
  if (!line.empty()) text += std::string(line) + "\n";
}

void add_question(std::string& text, const Frame& frame, const LessonFrame& book) {
  const ShownPrediction& asked = *book.step->prediction;
  add(text, std::string(frame.text(Str::predict)) + ": " + plain_text(asked.ask));
  for (const ShownChoice& choice : asked.choices)
    add(text, std::string(1, choice.letter) + ") " + plain_text(choice.text));
  if (asks(frame)) return;
  add(text, frame.filled(Str::answer_is, asked.answer));
  add(text, plain_text(book.given ? book.why : asked.why));
}

void add_lesson(std::string& text, const Frame& frame, const LessonFrame& book) {
  const LessonStep& step = *book.step->step;
  add(text, fmt::format("{}. {} · {}", book.lesson->number, book.lesson->title.in(frame.settings.language),
                        frame.filled(Str::lesson_of, book.step->index + 1, book.lesson->steps.size())));
  add(text, step.kind == StepKind::summary    ? std::string(frame.text(Str::lesson_summary))
            : step.kind == StepKind::exercise ? std::string(frame.text(Str::lesson_exercise))
                                              : book.step->title);
  add(text, plain_text(book.step->text));
  if (book.step->prediction) add_question(text, frame, book);
}

}  // namespace

std::string transcript_of(const Frame& frame) {
  std::string text;
  if (frame.lesson && frame.lesson->lesson) add_lesson(text, frame, *frame.lesson);
  for (const RunFrame& run : frame.runs) {
    add(text, title_of(run.facts) + " · " +
                  frame.filled(Str::event_of, grouped(run.moment.position), grouped(run.facts.size)));
    add(text, sentence(run.moment, run.plan(), frame.settings.language, !asks(frame)));
  }
  add(text, frame.notice);
  return text;
}

}  // namespace tilewalk::viz
