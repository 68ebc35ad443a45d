#include "viz/settings_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/error.h"
#include "sim/parse.h"
#include "viz/files.h"
#include "viz/viewer.h"
#include "viz/views.h"

namespace tilewalk::viz {
namespace {

constexpr std::string_view first_line = "tilewalk-viewer 1";
constexpr std::size_t most_raised = 32, most_bytes = 1 << 16;

[[noreturn]] void refuse(std::string_view what) {
  throw RequestError("'" + shown(what) + "' is not a setting");
}

template <std::size_t n>
std::size_t index_in(const std::string_view (&names)[n], std::string_view word) {
  for (std::size_t at = 0; at < n; ++at) {
    if (names[at] == word) return at;
  }
  refuse(word);
}

float number_in(std::string_view word, float least, float most) {
  const auto value = parse_number<float>(word);
  if (!value || !(*value >= least && *value <= most)) refuse(word);
  return *value;
}

void take(Settings& s, std::string_view key, std::string_view rest) {
  if (key == "raised") {
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest))
      s.raised.push_back(view_named(word));
    if (s.raised.size() > most_raised) refuse(key);
    return;
  }
  if (key == "score") {
    s.scores += std::string(rest.substr(std::min<std::size_t>(1, rest.size()))) + "\n";
    return;
  }
  const std::string_view word = take_word(rest);
  if (key == "language")
    s.language = static_cast<Language>(index_in(language_codes, word));
  else if (key == "theme")
    s.theme = static_cast<ThemeName>(index_in(theme_names, word));
  else if (key == "scale")
    s.scale = number_in(word, least_scale, most_scale);
  else if (key == "projector")
    s.projector = number_in(word, 0, 1) != 0;
  else if (key == "answers")
    s.answers = number_in(word, 0, 1) != 0;
  else if (key == "step")
    s.step = static_cast<StepSize>(index_in(step_size_names, word));
  else if (key == "speed")
    s.speed = number_in(word, least_speed, most_speed);
  else
    refuse(key);
}

}  // namespace

std::string format_settings(const Settings& s) {
  std::string text =
      fmt::format("{}\nlanguage {}\ntheme {}\nscale {}\nprojector {}\nstep {}\nspeed {}\nraised", first_line,
                  language_codes[std::size_t(s.language)], theme_names[std::size_t(s.theme)], s.scale,
                  int{s.projector}, step_size_names[std::size_t(s.step)], s.speed);
  for (const ViewId id : s.raised) text += " " + std::string(view_of(id).name);
  text += fmt::format("\nanswers {}\n", int{s.answers});
  for (std::string_view rest = s.scores; !rest.empty();)
    text += "score " + std::string(take_line(rest)) + "\n";
  return text + "end\n";
}

Settings parse_settings(std::string_view text) {
  Settings settings;
  if (take_line(text) != first_line)
    throw RequestError("it does not begin with '" + std::string(first_line) + "'");
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view key = take_word(line);
    if (key == "end" && text.empty()) return settings;
    take(settings, key, line);
  }
  throw RequestError("its end is missing");
}

SavedSettings load_settings(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (path.empty() || !file) return {};
  std::string text(most_bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  file.close();
  try {
    return {parse_settings(text), ""};
  } catch (const RequestError& error) {
    const std::string aside = path + ".damaged";
    std::error_code failed;
    std::filesystem::rename(path, aside, failed);
    return {{},
            fmt::format("{}: damaged settings ({}); the usual ones are used{}", path, error.what(),
                        failed ? "" : ", and the file is now " + aside)};
  }
}

void save_settings(const std::string& path, const Settings& settings) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  write_whole(path, format_settings(settings));
}

KeptSettings kept_settings() {
  const std::string path = settings_path();
  SavedSettings saved = load_settings(path);
  return {std::move(saved.settings), path, std::move(saved.notice)};
}

std::string settings_path() {
  const char *folder = std::getenv("XDG_CONFIG_HOME"), *home = std::getenv("HOME");
  if (folder && *folder) return std::string(folder) + "/tilewalk/viewer.txt";
  return home && *home ? std::string(home) + "/.config/tilewalk/viewer.txt" : "";
}

SettingsKeeper::SettingsKeeper(std::string path, const Settings& now)
    : path_(std::move(path)), kept_(format_settings(now)) {}

std::string SettingsKeeper::look(const Settings& now) {
  std::string text = format_settings(now);
  if (text == kept_) return "";
  kept_ = std::move(text);
  if (keep_) keep_(kept_);
  if (path_.empty()) return "";
  try {
    save_settings(path_, now);
  } catch (const RequestError& error) {
    path_.clear();
    return error.what();
  }
  return "";
}

}  // namespace tilewalk::viz
