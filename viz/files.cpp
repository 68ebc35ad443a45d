#include "viz/files.h"

#include <filesystem>
#include <fstream>

#include "sim/error.h"

namespace tilewalk::viz {

void write_whole(const std::string& path, std::string_view bytes) {
  const std::string beside = path + ".part";
  std::error_code failed;
  {
    std::ofstream file(beside, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.flush();
    if (!file) failed = std::make_error_code(std::errc::io_error);
  }
  if (!failed) std::filesystem::rename(beside, path, failed);
  if (!failed) return;
  std::error_code ignored;
  std::filesystem::remove(beside, ignored);
  throw RequestError(shown(path) + ": cannot be written (" + failed.message() + "); name another file");
}

}  // namespace tilewalk::viz
