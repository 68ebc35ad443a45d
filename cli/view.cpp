// tilewalk view: the window, or pictures without one.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <span>

#include "cli/algorithm_list.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/lesson.h"
#include "cli/run_flags.h"
#include "cli/run_json.h"
#include "cli/viewer.h"
#include "lessons/lessons.h"
#include "lessons/numbers.h"
#include "sim/error.h"
#include "viz/viewer.h"

namespace tilewalk {
namespace {

constexpr std::size_t most_runs = 3;
constexpr std::int64_t most_pixels = 16384;

constexpr const char* score_scale = "--score-scale";  // --scale is the interface's here

struct Flags {
  RunFlags run;
  Flag algorithm, algorithms, lesson, step, at, row, show, recorded, screenshot, frames, out, size, scale,
      lang, theme, step_size, speed, values, field;
  std::optional<bool> projector, answers;
};

// Nothing says what to run on: a real head, in tiles that can be told apart from the last row.
void take_defaults(RunFlags& flags) {
  const bool nothing = !flags.n && !flags.n_kv && !flags.d && !flags.heads && !flags.kv_heads &&
                       !flags.batch && !flags.head && !flags.q && !flags.k && !flags.v && !flags.seed &&
                       !flags.arch;
  if (!nothing) return;
  flags.head = "induction";
  if (flags.tiling) return;
  if (!flags.block_q) flags.block_q = "32";
  if (!flags.block_kv) flags.block_kv = "32";
}

std::vector<const Algorithm*> algorithms_of(const Flags& flags) {
  if (flags.algorithms && flags.algorithm)
    throw RequestError("--algorithms " + typed(*flags.algorithms) +
                       ": an algorithm is named before it too; leave one out");
  if (!flags.algorithms) return {&algorithm_named(flags.algorithm.value_or("flash2"))};
  auto list = parse_algorithms(flags.algorithms);
  if (list.size() > most_runs)
    throw RequestError("--algorithms " + typed(*flags.algorithms) +
                       ": shows up to three side by side; name fewer");
  return list;
}

// "A:B", "WxH": two whole numbers.
std::pair<std::int64_t, std::int64_t> parse_pair(const char* flag, const std::string& value, char between,
                                                 std::int64_t least, std::int64_t most, const char* example) {
  const std::size_t at = value.find(between);
  if (at == std::string::npos)
    throw RequestError(std::string(flag) + " " + typed(value) + ": must be two numbers, e.g. " + example);
  return {parse_whole(flag, value.substr(0, at), least, most, example),
          parse_whole(flag, value.substr(at + 1), least, most, example)};
}

float parse_between(const char* flag, const std::string& value, float least, float most,
                    const char* example) {
  char* end = nullptr;
  const float number = std::strtof(value.c_str(), &end);
  if (value.empty() || *end != '\0' || !(number >= least && number <= most))
    throw RequestError(fmt::format("{} {}: must be a number from {} to {}, e.g. {}", flag, typed(value),
                                   least, most, example));
  return number;
}

template <std::size_t n>
std::string one_of(const char* flag, const char* what, const Flag& value,
                   const std::string_view (&known)[n]) {
  if (!value) return std::string(known[0]);
  for (const std::string_view name : known) {
    if (name == *value) return *value;
  }
  throw RequestError(std::string(flag) + ": " + unknown_name(what, *value, known));
}

void take_pictures(const Flags& flags, ViewRequest& request) {
  request.screenshot = flags.screenshot.value_or("");
  request.out = flags.out.value_or("");
  if (flags.screenshot && !flags.screenshot->ends_with(".png") && !flags.screenshot->ends_with(".svg"))
    throw RequestError("--screenshot " + typed(*flags.screenshot) + ": must end in .png or .svg");
  if (flags.frames.has_value() != flags.out.has_value())
    throw RequestError("--frames and --out go together, e.g. --frames 0:20 --out pictures");
  if (flags.frames && flags.screenshot)
    throw RequestError("--screenshot " + typed(*flags.screenshot) +
                       ": one picture, or --frames; leave one out");
  if (!flags.frames) return;
  constexpr std::int64_t most = 1'000'000;
  request.frames = parse_pair("--frames", *flags.frames, ':', 0, most, "0:20");
  if (request.frames->first > request.frames->second)
    throw RequestError("--frames " + typed(*flags.frames) +
                       ": the first comes after the last; say e.g. 0:20");
}

// Messages about the scale of the scores name the flag as it is called here.
Request resolve_here(const RunFlags& flags) {
  try {
    return resolve(flags);
  } catch (const RequestError& error) {
    constexpr std::string_view usual = "--scale";
    const std::string_view words = error.what();
    if (!words.starts_with(usual)) throw;
    throw RequestError(score_scale + std::string(words.substr(usual.size())));
  }
}

void refuse_beside(const std::string& why, std::span<const std::pair<const char*, bool>> others) {
  for (const auto& [name, given] : others) {
    if (given) throw RequestError(why + "; leave out " + name);
  }
}

using Others = std::vector<std::pair<const char*, bool>>;

// What says on what to run, but for the algorithm.
Others input_flags(const RunFlags& run) {
  return {{"--n", run.n.has_value()},
          {"--n-kv", run.n_kv.has_value()},
          {"--d", run.d.has_value()},
          {"--head", run.head.has_value()},
          {"--mask", run.mask.has_value()},
          {"--dtype", run.dtype.has_value()},
          {"--block-q", run.block_q.has_value()},
          {"--block-kv", run.block_kv.has_value()},
          {"--fault", run.fault.has_value()},
          {"--seed", run.seed.has_value()}};
}

bool names_algorithm(const Flags& flags) { return flags.algorithm || flags.algorithms; }

// A lesson's step says what runs, unless an algorithm is named too.
void check_lesson_flags(const Flags& flags) {
  if (flags.step && !flags.lesson)
    throw RequestError("--step " + typed(*flags.step) + ": of which lesson? say e.g. --lesson 7 --step 2");
  if (!flags.lesson) return;
  const std::string lesson_flag = "--lesson " + typed(*flags.lesson);
  refuse_beside(lesson_flag + ": its steps say what runs",
                Others{{"--recorded", flags.recorded.has_value()}});
  if (!names_algorithm(flags))
    refuse_beside(lesson_flag + ": its steps say what runs, unless an ALGORITHM is named",
                  input_flags(flags.run));
  const Lesson lesson = find_lesson(*flags.lesson);
  if (flags.step) step_named(lesson, *flags.step);
}

// So does a recording.
void check_recorded_flags(const Flags& flags) {
  if (!flags.recorded) return;
  Others others = input_flags(flags.run);
  others.insert(others.begin(),
                {{"ALGORITHM", flags.algorithm.has_value()}, {"--algorithms", flags.algorithms.has_value()}});
  refuse_beside("--recorded " + typed(*flags.recorded) + ": it says what ran", others);
}

void take_settings(const Flags& flags, ViewRequest& request) {
  if (flags.lang) request.language = one_of("--lang", "language", flags.lang, language_codes);
  if (flags.theme) request.theme = one_of("--theme", "theme", flags.theme, viz::theme_names);
  if (flags.step_size)
    request.step_size = one_of("--step-size", "step size", flags.step_size, viz::step_size_names);
  if (flags.values) request.values = one_of("--values", "tile", flags.values, viz::tile_shown_names);
  if (flags.scale)
    request.scale = parse_between("--scale", *flags.scale, viz::least_scale, viz::most_scale, "1.5");
  if (flags.speed)
    request.speed = parse_between("--speed", *flags.speed, viz::least_speed, viz::most_speed, "8");
  if (flags.field)
    request.field = static_cast<std::size_t>(parse_whole("--field", *flags.field, 1, 64, "3") - 1);
  request.projector = flags.projector;
  request.answers = flags.answers;
}

ViewRequest request_of(Flags flags) {
  check_recorded_flags(flags);
  check_lesson_flags(flags);
  take_defaults(flags.run);
  ViewRequest request;
  request.lesson = flags.lesson.value_or("");
  request.step = flags.step.value_or("");
  if (!flags.lesson || names_algorithm(flags)) request.algorithms = algorithms_of(flags);
  request.at = flags.at.value_or("");
  take_settings(flags, request);
  request.recorded = flags.recorded.value_or("");
  if (flags.size) {
    const auto [width, height] = parse_pair("--size", *flags.size, 'x', 64, most_pixels, "1920x1080");
    request.width = static_cast<int>(width);
    request.height = static_cast<int>(height);
  }
  if (flags.show) request.views = split_at_commas(*flags.show);
  if (flags.row) request.row = parse_whole("--row", *flags.row, 0, std::int64_t{1} << 30, "300");
  take_pictures(flags, request);
  request.run = resolve_here(flags.run);
  if (flags.row && request.recorded.empty() && request.lesson.empty() &&
      request.row >= request.run.problem.n_q)
    throw RequestError("--row " + typed(*flags.row) + ": there are " +
                       std::to_string(request.run.problem.n_q) + " query rows, counted from 0");
  return request;
}

int view_command(const Flags& flags) {
  const auto pictures = view(request_of(flags));
  if (flags.run.json) print(json_text({{"schema", 1}, {"pictures", pictures}}));
  return exit_done;
}

void add_view_flags(CLI::App& app, Flags& flags) {
  const char* heading = "View";
  add_flag(app, heading, {"--algorithms", "A,B,C", "up to three side by side, locked by progress"},
           flags.algorithms);
  add_flag(app, heading, {"--at", "WORDS", "begin at a place, e.g. 'load K 2' [start]"}, flags.at);
  add_flag(app, heading, {"--lang", "LANG", "en or zh [as the last window was; en]; F2 changes it"},
           flags.lang);
  add_flag(app, heading,
           {"--theme", "THEME", "dark, light or contrast [as the last window was; dark]; F3 changes it"},
           flags.theme);
  add_flag(app, heading, {"--scale", "S", "size of the interface, 0.75 to 3 [1]; Ctrl + and - change it"},
           flags.scale);
  app.add_flag("--projector", flags.projector, "half as large again, for a lecture hall; P changes it")
      ->group(heading);
  add_flag(app, heading, {"--show", "A,B", "views to bring to the front, e.g. counters,source"}, flags.show);
  add_flag(app, heading,
           {"--recorded", "RUN", "a recorded GPU run to hold the model against: a .run file, or one of ours"},
           flags.recorded);
  add_flag(app, heading, {"--row", "I", "the query row to look at [follows the current tile]"}, flags.row);
  add_flag(app, heading,
           {"--values", "TILE", "of which tile the values are shown: scores, q, k, v, o or rows [scores]"},
           flags.values);
  add_flag(app, heading,
           {"--step-size", "SIZE", "operation, tile, inner_loop or kernel [as the last window was; tile]"},
           flags.step_size);
  add_flag(app, heading, {"--speed", "S", "steps a second, 0.25 to 128 [as the last window was; 4]"},
           flags.speed);
  add_flag(app, heading, {"--field", "N", "of What if: the N-th field is the one that keys change [1]"},
           flags.field);
  add_flag(app, heading, {"--size", "WxH", "of the window or the picture [1600x900]"}, flags.size);
  add_flag(app, heading,
           {"--lesson", "ID", "open a lesson: a name or number of 'lesson list', or a .lesson file"},
           flags.lesson);
  add_flag(app, heading, {"--step", "N", "of the lesson: its number or name [where it was left]"},
           flags.step);
  app.add_flag("--answers", flags.answers, "of the lesson: shown at once; A changes it")->group(heading);
  heading = "Pictures, which need no display";
  add_flag(app, heading, {"--screenshot", "FILE", "write the picture as .png or .svg, and end"},
           flags.screenshot);
  add_flag(app, heading, {"--frames", "A:B", "with --out: pictures of tiles A to B, from --at on"},
           flags.frames);
  add_flag(app, heading, {"--out", "FOLDER", "for frame_000000.png and on; or FILE.gif"}, flags.out);
}

}  // namespace

Action add_view(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  add_flag(app, "Algorithm", {"ALGORITHM", "", "see 'tilewalk list algorithms' [flash2]"}, flags->algorithm);
  add_view_flags(app, *flags);
  add_problem_flags(app, flags->run, score_scale);
  add_machine_flags(app, flags->run);
  add_input_flags(app, flags->run);
  add_json_flag(app, flags->run.json);
  set_footer(app,
             "Example: tilewalk view\n"
             "         tilewalk view --lesson 7 --lang zh\n"
             "         tilewalk view --algorithms standard,flash1,flash2 --lang zh\n"
             "         tilewalk view flash2 --at 'tile 9 1' --screenshot tile.png --size 1920x1080\n"
             "Without sizes or inputs it runs on --head induction in tiles of 32. In the window, ? shows the "
             "keys.\n" +
                 convention_notes());
  return [flags] { return view_command(*flags); };
}

}  // namespace tilewalk
