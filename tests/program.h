// The real tilewalk, run as users run it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewalk {

struct Result {
  int code = -1;  // 128 + n after signal n
  std::string out, err;
};

using Arguments = std::vector<std::string>;

// Runs `tilewalk arguments...` in `folder` with `input` on standard input.
Result run_program(const Arguments& arguments, const std::string& input = "",
                   const std::filesystem::path& folder = ".");

// The same, with standard output to a file, and SIGINT after some time (0: never).
int run_program_into(const Arguments& arguments, const std::filesystem::path& out,
                     const std::filesystem::path& err, const std::filesystem::path& folder,
                     int milliseconds_until_interrupt);

// A run in a terminal of its own: what it prints, its exit code, and whether the terminal had its settings
// back.
struct TerminalResult {
  int code = -1;
  std::string screen;
  bool restored = false;
};
// Waits for the text before it sends the keys.
struct Keys {
  std::string after, keys;
};
TerminalResult run_in_terminal(const Arguments& arguments, const std::vector<Keys>& dialogue);

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& bytes);

// A folder of its own for a test, removed afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  std::size_t entries() const;

 private:
  std::filesystem::path path_;
};

}  // namespace tilewalk
