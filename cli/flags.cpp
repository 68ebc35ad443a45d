#include "cli/flags.h"

#include <CLI/CLI.hpp>
#include <vector>

#include "cli/console.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// "--n=12" asks for --n.
std::string flag_of(const std::string& word) { return word.substr(0, word.find('=')); }

}  // namespace

void add_flag(CLI::App& app, const char* heading, const FlagText& text, Flag& target) {
  const std::string name = text.name;
  const auto take = [&target, name](const std::string& value) {
    // CLI11 takes whatever follows; nobody means a flag as a value.
    if (value.starts_with("--"))
      throw RequestError(name + ": its value is missing; " + value + " follows directly");
    target = value;
  };
  app.add_option_function<std::string>(name, take, text.help)->type_name(text.placeholder)->group(heading);
}

void add_switch(CLI::App& app, const char* heading, const char* name, const char* help, bool& target) {
  app.add_flag(name, target, help)->group(heading);
}

void set_footer(CLI::App& app, const std::string& text) { app.footer(text); }

void refuse_leftovers(const CLI::App& app) {
  const auto words = app.remaining();
  if (words.empty()) return;
  const std::string word = words.front();
  const std::string help = "; see 'tilewalk " + app.get_name() + " --help'";
  if (!word.starts_with("-") || word == "-" || word == "--") {
    throw RequestError(app.get_name() + ": does not understand '" + shown(word) + "'" + help);
  }
  const std::vector<std::string> names = option_names(app);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string guess = nearest(flag_of(word), known);
  throw RequestError(app.get_name() + ": unknown flag '" + shown(flag_of(word)) + "'" +
                     (guess.empty() ? help : "; did you mean " + guess + "?"));
}

const std::string& required(const Flag& value, const char* what, const std::string& remedy) {
  if (value) return *value;
  throw RequestError(std::string(what) + " is missing; " + remedy);
}

}  // namespace tilewalk
