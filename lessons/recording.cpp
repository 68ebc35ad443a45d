#include "lessons/recording.h"

#include "sim/describe.h"
#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw RequestError("--recorded: " + name + ": " + why);
}

std::string hexadecimal(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t n = 16; n-- > 0; number /= 16) text[n] = "0123456789abcdef"[number % 16];
  return text;
}

// The text before the checksum's line, which must be the last and fit.
std::string_view checked(std::string_view text, const std::string& name) {
  const auto at = text.rfind(checksum_word);
  if (at == std::string_view::npos)
    refuse(name, "has no checksum: it is no recording, or its end is missing");
  const std::string_view body = text.substr(0, at);
  const std::string expected = std::string(checksum_word) + hexadecimal(source_hash(body)) + "\n";
  if (text.substr(at) != expected) refuse(name, "its checksum does not fit: the file was changed or damaged");
  return body;
}

void take_output(std::string_view body, Recording& recording, const std::string& name) {
  while (!body.empty()) {
    std::string_view line = take_line(body);
    const bool is_o = line.starts_with("# o "), is_lse = line.starts_with("# L ");
    if (!is_o && !is_lse) continue;
    line.remove_prefix(4);
    for (auto word = take_word(line); !word.empty(); word = take_word(line)) {
      const auto value = parse_number<float>(word);
      if (!value) refuse(name, "'" + std::string(word.substr(0, 40)) + "' is not a number");
      (is_o ? recording.o : recording.lse).push_back(*value);
    }
  }
}

}  // namespace

std::string Recording::fact(std::string_view name) const {
  for (const auto& [key, value] : trace.header) {
    if (key == name) return value;
  }
  return "";
}

Recording parse_recording(std::string_view text, const std::string& name) {
  const std::string_view body = checked(text, name);
  Recording recording;
  recording.trace = parse_trace(body, name);
  take_output(body, recording, name);
  return recording;
}

}  // namespace tilewalk
