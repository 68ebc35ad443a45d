// The subcommands, as a table. Each is one file with one function, which adds the subcommand's flags to a
// CLI::App and returns what to do once the command line is read.
#pragma once

#include <functional>
#include <span>

namespace CLI {
class App;
}

namespace tilewalk {

using Action = std::function<int()>;  // returns the exit code

struct Command {
  const char *name, *summary;
  Action (*add)(CLI::App&);
};

std::span<const Command> commands();

Action add_list(CLI::App& app);
Action add_run(CLI::App& app);
Action add_step(CLI::App& app);
Action add_compare(CLI::App& app);
Action add_sweep(CLI::App& app);
Action add_trace(CLI::App& app);
Action add_verify(CLI::App& app);
Action add_gpu(CLI::App& app);
Action add_view(CLI::App& app);
Action add_lesson(CLI::App& app);

}  // namespace tilewalk
