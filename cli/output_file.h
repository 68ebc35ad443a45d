// Files that a command writes: whole, or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tilewalk {

// Writes to a temporary file beside the target and puts it in the target's place at commit(), with the
// target's permissions; links are followed. Whoever leaves earlier (an error, Ctrl-C) leaves the target as it
// was, and the destructor removes the temporary. What is no regular file (/dev/stdout, a pipe) is written
// directly, so there bytes arrive before commit().
//
// Every function but the destructor throws RequestError: "flag path: what is wrong; remedy".
class OutputFile {
 public:
  // `flag` is what the user typed before the path, such as "--out". Fails at once if nothing could be written
  // there, so that long work need not run first.
  OutputFile(const std::filesystem::path& path, std::string_view flag);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);

  // Call once, after the last write.
  void commit();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void open_temporary(std::filesystem::file_status old);
  void close();
  [[noreturn]] void refuse(const std::string& fault, const std::string& remedy) const;
  [[noreturn]] void refuse_errno(int error) const;

  std::string shown_;                // "flag path", for messages
  std::filesystem::path target_;     // where the bytes end up, links resolved
  std::filesystem::path temporary_;  // empty if the target is written directly, and after commit()
  std::unique_ptr<std::FILE, Close> file_;
};

// Throws RequestError when a file to write is one that another flag reads or writes.
void refuse_same_file(const std::filesystem::path& path, std::string_view flag,
                      const std::filesystem::path& other, std::string_view other_flag);

// Writes a whole file in one call.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes, std::string_view flag);

}  // namespace tilewalk
