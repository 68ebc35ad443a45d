#include "cli/output_file.h"

#include <cerrno>
#include <random>
#include <system_error>

#include "sim/error.h"

namespace tilewalk {
namespace {

namespace fs = std::filesystem;

// The path with the links of its last component followed, its folder made absolute and free of links. The
// last component need not exist. /dev/stdout ends at /proc/<pid>/fd/1, whatever is behind it.
fs::path follow_links(fs::path path) {
  constexpr int most_links = 40;
  std::error_code ignored;
  for (int links = 0; links < most_links; ++links) {
    const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", ignored);
    if (folder.empty()) return path;
    path = folder / path.filename();
    if (folder.string().starts_with("/proc/") || !fs::is_symlink(path, ignored)) return path;
    path = folder / fs::read_symlink(path, ignored);
  }
  return path;
}

// Renaming onto a device or pipe would replace it, and renaming onto what /proc/<pid>/fd/1 leads to would
// separate standard output from its file.
bool is_written_directly(const fs::path& target, fs::file_status status) {
  return (fs::exists(status) && !fs::is_regular_file(status)) || target.string().starts_with("/proc/");
}

// Short, because the target's own name may be as long as names can be.
std::string temporary_name() {
  std::random_device random;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string name = ".tilewalk-";
  for (int i = 0; i < 16; ++i) name += digits[random() % digits.size()];
  return name + ".tmp";
}

const char* remedy_for(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT: return "free some space or write elsewhere";
    case EACCES:
    case EPERM:
    case EROFS: return "write to a folder and file that you may change";
    case ENAMETOOLONG: return "choose a shorter name";
    default: return "write elsewhere";
  }
}

}  // namespace

OutputFile::OutputFile(const fs::path& path, std::string_view flag)
    : shown_(std::string(flag) + " " + path.string()), target_(follow_links(path)) {
  if (path.empty()) refuse("the file name is empty", "name a file");
  std::error_code failed;
  const fs::file_status status = fs::status(target_, failed);
  if (status.type() == fs::file_type::none) refuse_errno(failed.value());
  if (!path.has_filename() || fs::is_directory(status)) refuse("it is a folder", "name a file in it");
  if (is_written_directly(target_, status)) {
    // "a": truncating would lose what a redirection such as >> keeps.
    file_.reset(std::fopen(target_.c_str(), "ab"));
    if (!file_) refuse_errno(errno);
  } else {
    open_temporary(status);
  }
}

void OutputFile::open_temporary(fs::file_status old) {
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  std::error_code ignored;  // a folder that cannot be looked at fails below
  const fs::file_status parent = fs::status(folder, ignored);
  if (parent.type() == fs::file_type::not_found) {
    refuse("the folder " + folder.string() + " does not exist", "create it first");
  }
  if (fs::exists(parent) && !fs::is_directory(parent))
    refuse(folder.string() + " is not a folder", "write elsewhere");
  // A rename would go through even where the file itself may not be written.
  if (fs::exists(old) && !std::unique_ptr<std::FILE, Close>(std::fopen(target_.c_str(), "r+b")))
    refuse_errno(errno);

  const fs::path temporary = folder / temporary_name();
  file_.reset(std::fopen(temporary.c_str(), "wbx"));
  if (!file_) refuse_errno(errno);
  temporary_ = temporary;
  if (fs::exists(old)) fs::permissions(temporary_, old.permissions(), ignored);
}

OutputFile::~OutputFile() {
  file_.reset();
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) refuse_errno(errno);
}

void OutputFile::commit() {
  close();
  if (temporary_.empty()) return;
  std::error_code failed;
  fs::rename(temporary_, target_, failed);
  if (failed) refuse_errno(failed.value());
  temporary_.clear();
}

// The buffer's last bytes go out in fflush; some file systems report a full disk only at the close.
void OutputFile::close() {
  if (std::fflush(file_.get()) != 0) refuse_errno(errno);
  if (std::fclose(file_.release()) != 0) refuse_errno(errno);
}

void OutputFile::refuse(const std::string& fault, const std::string& remedy) const {
  throw RequestError(shown_ + ": " + fault + "; " + remedy);
}

void OutputFile::refuse_errno(int error) const {
  refuse("it cannot be written (" + std::generic_category().message(error) + ")", remedy_for(error));
}

void refuse_same_file(const std::filesystem::path& path, std::string_view flag,
                      const std::filesystem::path& other, std::string_view other_flag) {
  std::error_code ignored;  // a path that cannot be resolved is refused by whoever opens it
  const auto resolved = [&](const std::filesystem::path& p) {
    return std::filesystem::weakly_canonical(p, ignored);
  };
  if (std::filesystem::is_character_file(path, ignored)) return;
  if (resolved(path) != resolved(other) && !std::filesystem::equivalent(path, other, ignored)) return;
  throw RequestError(std::string(flag) + " " + path.string() + ": is the file of " + std::string(other_flag) +
                     " too; name another one");
}

void write_file_atomically(const fs::path& path, std::string_view bytes, std::string_view flag) {
  OutputFile file(path, flag);
  file.write(bytes);
  file.commit();
}

}  // namespace tilewalk
