// tilewalk lesson export: handouts.
#include <filesystem>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/lesson.h"
#include "cli/output_file.h"
#include "cli/run_json.h"
#include "lessons/handout.h"
#include "sim/error.h"

namespace tilewalk {

int lesson_export(const LessonFlags& flags) {
  if (!flags.out) throw RequestError("lesson export: --out is missing; say e.g. --out handouts");
  const Lesson lesson = find_lesson(flags.words[1]);
  const Language language = language_of(flags);
  std::error_code failed;
  std::filesystem::create_directories(*flags.out, failed);
  if (failed)
    throw RequestError("--out " + typed(*flags.out) + ": cannot be created (" + failed.message() +
                       "); name another folder");
  Shelf shelf;
  const auto path =
      std::filesystem::path(*flags.out) /
      (lesson.id + "." + std::string(language_codes[static_cast<std::size_t>(language)]) + ".html");
  write_file_atomically(path, handout_html(lesson, language, !flags.no_answers, shelf), "--out");
  if (flags.json)
    print(json_text({{"schema", 1}, {"lesson", lesson.id}, {"files", {path.string()}}}));
  else
    print(path.string() + "\n");
  return exit_done;
}

}  // namespace tilewalk
