// tilewalk lesson export: a page to print, and slides.
#include <fmt/core.h>

#include <filesystem>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/lesson.h"
#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "cli/run_json.h"
#include "cli/viewer.h"
#include "lessons/handout.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

// What a picture of the viewer needs: a page for each step, and one more with the answer where it asks
// something.
struct Slide {
  std::size_t step;
  bool answer;
};

std::vector<Slide> slides_of(const Lesson& lesson, bool with_answers) {
  std::vector<Slide> slides;
  for (std::size_t n = 0; n < lesson.steps.size(); ++n) {
    slides.push_back({n, false});
    if (lesson.steps[n].prediction && with_answers) slides.push_back({n, true});
  }
  return slides;
}

// Pictures "BASE-01.png", "BASE-01-answer.png" of the viewer, for a projector.
std::vector<std::string> write_slides(const LessonFlags& flags, const Lesson& lesson,
                                      const std::string& base) {
  ViewRequest request;
  request.lesson = flags.words[1];
  request.language = std::string(language_codes[static_cast<std::size_t>(language_of(flags))]);
  request.theme = "light";  // as the page is
  request.width = 1920;
  request.height = 1080;
  request.scale = 1.25f;
  std::vector<std::string> written;
  const auto slides = slides_of(lesson, !flags.no_answers);
  ProgressLine line("drawing slides");
  const Progress progress = line.callback();
  for (const Slide& slide : slides) {
    progress(double(written.size()) / double(slides.size()));
    request.step = std::to_string(slide.step + 1);
    request.reveal = slide.answer;
    request.screenshot = fmt::format("{}-{:02}{}.png", base, slide.step + 1, slide.answer ? "-answer" : "");
    for (std::string& path : view(request)) written.push_back(std::move(path));
  }
  return written;
}

std::filesystem::path make_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed)
    throw RequestError("--out " + typed(path) + ": cannot be created (" + failed.message() +
                       "); name another folder");
  return path;
}

}  // namespace

int lesson_export(const LessonFlags& flags) {
  if (!flags.out) throw RequestError("lesson export: --out is missing; say e.g. --out handouts");
  const Lesson lesson = find_lesson(flags.words[1]);
  const Language language = language_of(flags);
  const std::string base =
      (make_folder(*flags.out) /
       (lesson.id + "." + std::string(language_codes[static_cast<std::size_t>(language)])))
          .string();
  Shelf shelf;
  std::vector<std::string> files{base + ".html"};
  write_file_atomically(files[0], handout_html(lesson, language, !flags.no_answers, shelf), "--out");
  try {
    const auto slides = flags.no_slides ? std::vector<std::string>() : write_slides(flags, lesson, base);
    files.insert(files.end(), slides.begin(), slides.end());
  } catch (const Unavailable& missing) {
    // The page is there all the same.
    fmt::print(stderr, "no slides: {}\n", missing.what());
  }
  if (flags.json) {
    print(json_text({{"schema", 1}, {"lesson", lesson.id}, {"files", files}}));
  } else {
    for (const std::string& file : files) print(file + "\n");
  }
  return exit_done;
}

}  // namespace tilewalk
