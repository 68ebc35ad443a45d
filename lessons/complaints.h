// What is wrong with a lesson file: all of it, each with its line, so that an author mends it in one go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewalk {

struct Complaint {
  int line;  // counted from 1; 0: the whole file
  std::string what;
};

class Complaints {
 public:
  explicit Complaints(std::string file) : file_(std::move(file)) {}

  // `what` says what is wrong and how to mend it. Beyond a hundred, more would help nobody.
  void add(int line, std::string what) {
    constexpr std::size_t most = 100;
    if (list_.size() < most) list_.push_back({line, std::move(what)});
  }
  bool empty() const { return list_.empty(); }
  const std::string& file() const { return file_; }
  const std::vector<Complaint>& list() const { return list_; }
  // "file:12: what", one a line, by line.
  std::string text() const;

 private:
  std::string file_;
  std::vector<Complaint> list_;
};

}  // namespace tilewalk
