#include "tests/program.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace tilewalk {
namespace {

namespace fs = std::filesystem;

std::vector<char*> argv_of(const Arguments& arguments) {
  std::vector<char*> argv{const_cast<char*>(TILEWALK_PROGRAM)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  return argv;
}

void redirect(const fs::path& path, int flags, int stream) {
  const int opened = open(path.c_str(), flags, 0600);
  if (opened < 0 || dup2(opened, stream) < 0) _exit(126);
}

pid_t start(const Arguments& arguments, const fs::path& in, const fs::path& out, const fs::path& err,
            const fs::path& folder) {
  const auto argv = argv_of(arguments);
  const pid_t child = fork();
  if (child != 0) return child;
  redirect(in, O_RDONLY, STDIN_FILENO);
  redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  if (chdir(folder.c_str()) != 0) _exit(126);
  execv(argv[0], argv.data());
  _exit(127);
}

int exit_code_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Adds what the terminal shows until the text appears, nothing more comes for a while, or the program has
// ended.
void read_screen(int terminal, const std::string& until, std::string& screen) {
  constexpr int patience = 10'000;  // milliseconds
  const std::size_t begin = screen.size();
  pollfd waiting{terminal, POLLIN, 0};
  char buffer[4096];
  while (screen.find(until, begin) == std::string::npos && poll(&waiting, 1, patience) > 0) {
    const auto got = read(terminal, buffer, sizeof buffer);
    if (got <= 0) break;
    screen.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

Result run_program(const Arguments& arguments, const std::string& input, const fs::path& folder) {
  const TemporaryFolder files;
  write_file(files / "in", input);
  Result result;
  result.code = exit_code_of(start(arguments, files / "in", files / "out", files / "err", folder));
  result.out = read_file(files / "out");
  result.err = read_file(files / "err");
  return result;
}

int run_program_into(const Arguments& arguments, const fs::path& out, const fs::path& err,
                     const fs::path& folder, int milliseconds_until_interrupt) {
  const pid_t child = start(arguments, "/dev/null", out, err, folder);
  if (milliseconds_until_interrupt > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_until_interrupt));
    kill(child, SIGINT);
  }
  return exit_code_of(child);
}

TerminalResult run_in_terminal(const Arguments& arguments, const std::vector<Keys>& dialogue) {
  const auto argv = argv_of(arguments);
  int terminal = -1, program_side = -1;
  if (openpty(&terminal, &program_side, nullptr, nullptr, nullptr) != 0)
    throw std::runtime_error("no terminal");
  termios before = {}, after = {};
  tcgetattr(program_side, &before);
  const pid_t child = fork();
  if (child == 0) {
    close(terminal);
    if (login_tty(program_side) != 0) _exit(126);
    execv(argv[0], argv.data());
    _exit(127);
  }
  TerminalResult result;
  for (const Keys& step : dialogue) {
    read_screen(terminal, step.after, result.screen);
    if (write(terminal, step.keys.data(), step.keys.size()) < 0) break;
  }
  result.code = exit_code_of(child);
  tcgetattr(program_side, &after);
  result.restored = before.c_lflag == after.c_lflag;
  close(terminal);
  close(program_side);
  return result;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "tilewalk-test-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::size_t TemporaryFolder::entries() const {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
}

}  // namespace tilewalk
