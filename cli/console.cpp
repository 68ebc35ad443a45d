#include "cli/console.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "cli/interrupt.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

[[noreturn]] void refuse_output(int error) {
  std::clearerr(stdout);
  throw_if_interrupted();  // Ctrl-C interrupts a write as well
  throw RequestError("standard output: cannot be written (" + std::generic_category().message(error) +
                     "); write to a place with room, or read all of it");
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) refuse_output(errno);
}

void flush_output() {
  if (std::fflush(stdout) != 0) refuse_output(errno);
}

bool output_is_terminal() {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

bool errors_are_terminal() { return isatty(STDERR_FILENO) != 0; }

void complain(std::string_view text) {
  const std::string line = "tilewalk: " + one_line(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void note(std::string_view text) { complain("note: " + std::string(text)); }

std::string one_line(std::string_view text, std::size_t longest) {
  std::string line(text.substr(0, longest));
  for (char& c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = '?';
  }
  if (text.size() > longest) line += "...";
  return line;
}

}  // namespace tilewalk
