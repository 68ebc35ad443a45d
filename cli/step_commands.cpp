#include "cli/step_commands.h"

#include <filesystem>

#include "cli/console.h"
#include "cli/output_file.h"
#include "cli/shown_tiles.h"
#include "lessons/numbers.h"
#include "sim/anchor.h"
#include "sim/error.h"
#include "sim/npy.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

// How often to repeat; 1 without an argument.
std::int64_t times(std::string_view arguments) {
  const auto word = take_word(arguments);
  if (!take_word(arguments).empty()) throw RequestError("too many arguments; give one number, e.g. next 3");
  return word.empty() ? 1 : parse_whole("steps:", word, 0, std::int64_t{1} << 40, "3");
}

// The end is reached long before a large number of steps.
template <StepSize size>
void forward(Walk& walk, std::string_view arguments) {
  std::uint64_t at = walk.timeline.position();
  for (std::int64_t left = times(arguments); left > 0 && at < walk.timeline.size(); --left)
    at = walk.timeline.after_step(at, size);
  walk.seek(at);
}

template <StepSize size>
void back(Walk& walk, std::string_view arguments) {
  std::uint64_t at = walk.timeline.position();
  for (std::int64_t left = times(arguments); left > 0 && at > 0; --left)
    at = walk.timeline.before_step(at, size);
  walk.seek(at);
}

void seek(Walk& walk, std::string_view arguments) {
  const auto word = take_word(arguments);
  if (!take_word(arguments).empty())
    throw RequestError("seek: too many arguments; give one position, e.g. seek 120");
  const auto most = static_cast<std::int64_t>(walk.timeline.size());
  walk.seek(static_cast<std::uint64_t>(parse_whole("seek", word, 0, most, "0")));
}

void at(Walk& walk, std::string_view arguments) { walk.seek(find_anchor(walk.timeline, arguments)); }

void show(Walk& walk, std::string_view arguments) {
  walk.shown = parse_shown(take_word(arguments), walk.timeline.plan());
}

void npy(Walk& walk, std::string_view arguments) {
  if (arguments.empty()) throw RequestError("npy: names no folder; say e.g. npy tiles");
  write_shown(walk, std::string(arguments));
}

void help(Walk&, std::string_view) {
  std::string text;
  for (const StepCommand& command : step_commands()) {
    std::string line = "  " + std::string(command.name) + " " + std::string(command.arguments);
    line.resize(std::max<std::size_t>(line.size(), 20), ' ');
    text += line + "  " + std::string(command.help) + "\n";
  }
  print(text);
}

void quit(Walk& walk, std::string_view) { walk.ended = true; }

constexpr StepCommand table[] = {
    {"next", "[N]", "N operations forward", forward<StepSize::operation>},
    {"back", "[N]", "N operations back", back<StepSize::operation>},
    {"tile", "[N]", "to the next tile of the score matrix", forward<StepSize::tile>},
    {"tile-back", "[N]", "to the tile before", back<StepSize::tile>},
    {"loop", "[N]", "through the inner loop", forward<StepSize::inner_loop>},
    {"loop-back", "[N]", "back through the inner loop", back<StepSize::inner_loop>},
    {"kernel", "[N]", "to the next kernel", forward<StepSize::kernel>},
    {"kernel-back", "[N]", "to the kernel before", back<StepSize::kernel>},
    {"seek", "P", "to a position", seek},
    {"at", "WORDS", "to a place: start, end, tile 2 1, load K 2, gemm s 1 2, store O 0 #3", at},
    {"show", "A,B,...", "tiles to show: m, l, O, S, ...; hbm:O for the tensor", show},
    {"npy", "FOLDER", "write what is shown as .npy files", npy},
    {"help", "", "these commands", help},
    {"quit", "", "end", quit},
};

// The axes that the values had as an input: (heads, n, d), say. A vector has one axis less.
std::vector<std::int64_t> shape_of(const ShownMatrix& matrix, const Problem& p, std::int64_t rows_of_one) {
  std::vector<std::int64_t> shape;
  const std::int64_t instances = rows_of_one == 0 ? 1 : matrix.rows / rows_of_one;
  if (p.batch > 1 && instances > 1) shape.push_back(p.batch);
  if (instances > 1) shape.push_back(instances / p.batch);
  shape.push_back(rows_of_one);
  if (matrix.cols != 1) shape.push_back(matrix.cols);
  return shape;
}

std::int64_t rows_of_one(const ShownMatrix& matrix, const Plan& plan) {
  const std::string_view name = matrix.name;
  const int tensor = plan.tensors.find(name.starts_with("hbm:") ? name.substr(4) : name);
  return matrix.place == "hbm" && tensor >= 0 ? plan.tensors[static_cast<std::size_t>(tensor)].n_rows
                                              : matrix.rows;
}

std::string file_name(std::string name) {
  if (name.starts_with("hbm:")) name.replace(0, 4, "hbm_");
  return name + ".npy";
}

}  // namespace

std::span<const StepCommand> step_commands() { return table; }

void run_step_command(Walk& walk, std::string_view line) {
  const auto verb = take_word(line);
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
  std::vector<std::string_view> names;
  for (const StepCommand& command : table) {
    if (command.name == verb) return command.run(walk, line);
    names.push_back(command.name);
  }
  throw RequestError(unknown_name("command", shown(verb), names));
}

void write_shown(Walk& walk, const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    throw RequestError("--npy " + typed(folder) + ": cannot be created (" + failed.message() +
                       "); name another folder");
  for (const std::string& name : walk.shown) {
    const ShownMatrix matrix = find_whole(name, walk.timeline);
    if (!matrix.status.empty()) {
      note(name + ".npy is not written: " + matrix.status);
      continue;
    }
    const auto shape =
        shape_of(matrix, walk.timeline.plan().problem(), rows_of_one(matrix, walk.timeline.plan()));
    write_file_atomically(std::filesystem::path(folder) / file_name(name),
                          format_npy(shape, matrix.values, NpyType::f32), "--npy");
  }
}

}  // namespace tilewalk
