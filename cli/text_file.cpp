#include "cli/text_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "sim/error.h"

namespace tilewalk {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

std::string read_text_file(const std::string& path, const std::string& shown, std::size_t most) {
  const auto refuse = [&](const std::string& why) { throw RequestError(shown + ": " + why); };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse("is a folder; name a file");
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse("cannot be read (" + std::generic_category().message(errno) + "); check the path");
  std::string text;
  char buffer[1 << 16];
  for (std::size_t got = 1; got > 0;) {
    got = std::fread(buffer, 1, sizeof buffer, file.get());
    text.append(buffer, got);
    if (text.size() > most)
      refuse("is larger than " + std::to_string(most) + " bytes, the most that is read; make it smaller");
  }
  if (std::ferror(file.get())) refuse("cannot be read (" + std::generic_category().message(errno) + ")");
  return text;
}

}  // namespace tilewalk
