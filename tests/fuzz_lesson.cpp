// A libFuzzer target for the reader of lessons, for use by hand:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz_lesson.cpp
//     lessons/{complaints,expression,markup,read_lesson,sections,value}.cpp sim/error.cpp -o
//     build/fuzz_lesson
//   build/fuzz_lesson -max_total_time=120 -max_len=20000 lessons/texts
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lessons/lesson.h"
#include "sim/error.h"

// Every input is read to a lesson, or complained of in single lines that lie in the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilewalk;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  int lines = 1;
  for (const char c : text) lines += c == '\n';
  Complaints complaints("fuzz.lesson");
  const Lesson lesson = read_lesson(text, complaints);
  for (const Complaint& complaint : complaints.list()) {
    if (complaint.line < 0 || complaint.line > lines || complaint.what.find('\n') != std::string::npos)
      std::abort();
  }
  if (complaints.empty() && (lesson.steps.size() < 3 || lesson.runs.empty())) std::abort();
  return 0;
}
