// tilewalk lesson: named in the contract, built later.
#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/exit_code.h"

namespace tilewalk {

Action add_not_built(CLI::App& app) {
  app.prefix_command();  // takes whatever follows
  app.footer("Example: tilewalk " + app.get_name() +
             "\nThis command is not built yet and exits with 3. Try 'tilewalk compare'.");
  const std::string name = app.get_name();
  return [name]() -> int {
    throw Unavailable(name + ": not built yet; try 'tilewalk compare' or 'tilewalk step flash2'");
  };
}

}  // namespace tilewalk
