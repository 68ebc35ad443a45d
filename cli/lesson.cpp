// tilewalk lesson: the lessons in the terminal, and what teachers and students do with them.
#include "cli/lesson.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/run_flags.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

struct LessonAction {
  std::string_view name;
  std::size_t least, most;  // words after it
  const char* words;
  int (*run)(const LessonFlags&);
};
constexpr std::size_t any = 10000;
constexpr LessonAction table[] = {{"list", 0, 0, "", lesson_list},
                                  {"show", 1, 1, "ID", lesson_show},
                                  {"check", 1, any, "FILE...", lesson_check},
                                  {"pages", 0, 0, "", lesson_pages},
                                  {"export", 1, 1, "ID --out FOLDER", lesson_export},
                                  {"grade", 2, 2, "ID ANSWERS", lesson_grade}};

int lesson_command(const LessonFlags& flags) {
  std::vector<std::string_view> names;
  for (const LessonAction& action : table) names.push_back(action.name);
  if (flags.words.empty())
    throw RequestError(
        "lesson: the action is missing; say e.g. 'tilewalk lesson list' or 'tilewalk lesson show 1'");
  for (const LessonAction& action : table) {
    if (flags.words[0] != action.name) continue;
    const std::size_t given = flags.words.size() - 1;
    if (given < action.least || given > action.most)
      throw RequestError("lesson " + flags.words[0] + ": say 'tilewalk lesson " + flags.words[0] +
                         (*action.words ? " " + std::string(action.words) : "") + "'");
    return action.run(flags);
  }
  throw RequestError("lesson: " + unknown_name("action", shown(flags.words[0]), names));
}

}  // namespace

Language language_of(const LessonFlags& flags) {
  const std::string code = flags.lang.value_or("en");
  if (code == language_codes[0]) return Language::en;
  if (code == language_codes[1]) return Language::zh;
  throw RequestError("--lang: " + unknown_name("language", code, language_codes));
}

Action add_lesson(CLI::App& app) {
  const auto flags = std::make_shared<LessonFlags>();
  app.add_option("ACTION", flags->words, "list, show ID, check FILE..., pages, export ID, grade ID ANSWERS")
      ->type_name("")
      ->group("What");
  add_flag(app, "How", {"--lang", "LANG", "en or zh [en]"}, flags->lang);
  add_flag(app, "How", {"--out", "FOLDER", "for export: where the handout goes"}, flags->out);
  app.add_flag("--no-slides", flags->no_slides, "for export: the page alone")->group("How");
  app.add_flag("--no-answers", flags->no_answers, "for show and export: leave the answers out")->group("How");
  add_json_flag(app, flags->json);
  set_footer(
      app,
      "Example: tilewalk lesson list\n"
      "         tilewalk lesson show online-softmax --lang zh     walk: n next, p back, q quit\n"
      "         tilewalk lesson show 5 | less                     the text of everything, with answers\n"
      "         tilewalk lesson show 5 --no-answers | less        the same for students\n"
      "         tilewalk lesson check my.lesson                   everything that is wrong with a file\n"
      "         tilewalk lesson export 5 --out handouts           a printable page, and slides\n"
      "         tilewalk lesson grade 5 answers.txt               lines STEP = ANSWER; exit 0 if all are "
      "right\n"
      "ID is a lesson's name or number, or a file ending in .lesson (lessons/README.md says how to write "
      "one).\n"
      "Exit codes: 0 done, 1 a check or an answer failed, 2 wrong request.");
  return [flags] { return lesson_command(*flags); };
}

}  // namespace tilewalk
