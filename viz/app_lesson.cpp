// The part of the App that holds lessons: a step says what runs, where it stands, and what is looked at.
#include "lessons/lessons.h"
#include "sim/error.h"
#include "viz/app.h"
#include "viz/viewer.h"

namespace tilewalk::viz {

// Every character of every lesson: they are few beside those of the whole font, and no lesson then has to
// wait for its letters.
void App::need_lesson_characters() {
  for (const LessonText& file : lesson_texts()) characters_.need(file.text);
}

void App::open_lesson(const OpenLesson& command) {
  try {
    book_.open(command.name, command.step, settings_.language);
  } catch (const RequestError& error) {
    return say(error.what());
  }
  for (const LessonStep& step : book_.frame().lesson->steps) {
    characters_.need(step.title.in(Language::zh));
    characters_.need(step.title.in(Language::en));
  }
  show_step(command);
}

void App::turn_page(int direction) {
  try {
    if (book_.turn(direction)) show_step();
  } catch (const RequestError& error) {
    say(error.what());
  }
}

void App::close_lesson() {
  book_.close();
  raise(ViewId::lesson);
}

void App::set_language(Language language) {
  settings_.language = language;
  try {
    book_.set_language(language);
  } catch (const RequestError& error) {
    say(error.what());
  }
  need_step_characters();
}

// Of a file of one's own, too: what it says, and what its numbers and sources came to.
void App::need_step_characters() {
  if (!book_.is_open()) return;
  const ShownStep& step = *book_.frame().step;
  const auto need = [&](const Filled& text) {
    characters_.need(plain_text(text));
    for (const Paragraph& paragraph : text) {
      for (const auto& cell : paragraph.cells) {
        for (const Span& span : cell) {
          for (const std::string& source : span.sources) characters_.need(source);
        }
      }
    }
  };
  need(step.text);
  if (!step.prediction) return;
  need(step.prediction->ask);
  need(step.prediction->why);
  for (const ShownChoice& choice : step.prediction->choices) need(choice.text), need(choice.why);
  for (const ShownTrap& trap : step.prediction->traps) need(trap.why);
}

void App::show_step(const OpenLesson& how) {
  const ShownStep& step = *book_.frame().step;
  keep_scores();
  need_step_characters();
  // The first-named view on top, and the lesson over all that shares its place.
  for (auto view = step.step->views.rbegin(); view != step.step->views.rend(); ++view)
    raise(view_named(*view));
  raise(ViewId::lesson);
  selection_.row = lesson_row_ = how.row.value_or(step.step->row);
  playing_ = false;
  std::vector<std::string> words;
  std::string recording;
  for (const ShownRun& run : step.runs) {
    words.push_back(run.words);
    if (recording.empty()) recording = run.run->recording_name();
  }
  if (words == lesson_runs_ && opening_.empty() && how.at.empty()) {
    apply(Seek{step.position});
  } else {
    OpenRuns open_command{{}, how.at.empty() ? "event " + std::to_string(step.position) : how.at};
    for (const ShownRun& run : step.runs)
      open_command.requests.push_back(run_request_of(run.run->request(), run.run->algorithm()));
    open(open_command);
    lesson_runs_ = std::move(words);
    if (!recording.empty()) gpu_job_.open(recording);
  }
  notice_.clear();
}

void App::keep_scores() { settings_.scores = book_.scores(); }

// Once answered, a click on a tile goes there again.
bool App::takes_tile(const SeekTile& tile) {
  const LessonFrame& lesson = book_.frame();
  if (!book_.is_open() || !book_.asks() || settings_.answers ||
      lesson.step->prediction->kind != PredictionKind::tile)
    return false;
  answer(std::to_string(tile.row) + " " + std::to_string(tile.col));
  return true;
}

void App::answer(const std::string& text) {
  book_.answer(text);
  keep_scores();
}

void begin(App& app, const ViewerOptions& options) {
  const std::string at = options.recorded.empty() ? options.at : "";
  if (!options.lesson.empty()) {
    const std::int64_t row = options.selection.row;
    app.apply(OpenLesson{options.lesson, options.step, options.runs.empty() ? at : "",
                         row >= 0 ? std::optional(row) : std::nullopt});
  }
  if (!options.runs.empty()) app.apply(OpenRuns{options.runs, at});
  if (!options.recorded.empty()) app.apply(OpenRecorded{options.recorded, options.at});
  for (const ViewId view : options.raised) app.apply(RaiseView{view});
  if (options.reveal) app.apply(RevealAnswer{});
}

}  // namespace tilewalk::viz
