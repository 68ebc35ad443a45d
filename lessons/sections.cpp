#include "lessons/sections.h"

#include <algorithm>

#include "lessons/utf8.h"
#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

bool is_key(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' ||
           c == '_' || c == '-';
  });
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// The line with the first thing that cannot stand in a text file; 0: there is none.
int broken_line(std::string_view text) {
  int line = 1;
  while (!text.empty()) {
    const char32_t c = take_utf8(text);
    if (c == broken_utf8 || (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F) return line;
    line += c == '\n';
  }
  return 0;
}

class Reader {
 public:
  explicit Reader(Complaints& complaints) : complaints_(complaints) { sections_.push_back({1, {}, {}}); }

  void take(std::string_view line) {
    ++line_;
    if (full_) return;
    if (is_blank(line)) return blank();
    if (line[0] == '#') return;
    if (line[0] == ' ' || line[0] == '\t') return indented(line);
    if (line[0] == '[') return heading(line);
    entry(line);
  }
  std::vector<Section> finish() {
    for (Section& section : sections_) {
      for (Entry& e : section.entries) {
        while (!e.lines.empty() && e.lines.back().text.empty()) e.lines.pop_back();
      }
    }
    return std::move(sections_);
  }

 private:
  void stop(std::string why) {
    complaints_.add(line_, std::move(why));
    full_ = true;
  }
  Entry* last() {
    auto& entries = sections_.back().entries;
    return entries.empty() ? nullptr : &entries.back();
  }
  void blank() {
    if (last()) last()->lines.push_back({line_, ""});
  }
  void indented(std::string_view line) {
    if (line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos)
      return complaints_.add(line_, "is indented by a tab; use two spaces");
    if (!last()) return complaints_.add(line_, "belongs to no key; begin it without spaces, as 'key: value'");
    const std::size_t indent = std::min<std::size_t>(2, line.find_first_not_of(' '));
    last()->lines.push_back({line_, std::string(line.substr(indent))});
  }
  void heading(std::string_view line) {
    const auto end = line.find(']');
    if (end == std::string_view::npos || !is_blank(line.substr(end + 1)))
      return complaints_.add(line_, "a section is written as [name], alone on its line");
    Section section{line_, {}, {}};
    std::string_view words = line.substr(1, end - 1);
    for (auto word = take_word(words); !word.empty(); word = take_word(words))
      section.words.emplace_back(word);
    if (section.words.empty())
      return complaints_.add(line_, "the section has no name; say e.g. [step first-load]");
    if (sections_.size() > most_sections)
      return stop("there are more than " + std::to_string(most_sections) +
                  " sections; make several lessons of it");
    sections_.push_back(std::move(section));
  }
  void entry(std::string_view line) {
    const auto colon = line.find(':');
    const std::string_view key = trimmed(line.substr(0, colon));
    if (colon == std::string_view::npos || !is_key(key))
      return complaints_.add(
          line_, "'" + shown(line) +
                     "' is not 'key: value'; indent it by two spaces if it belongs to the text above");
    if (sections_.back().find(key))
      return complaints_.add(line_, "'" + std::string(key) + "' is said twice in this section; keep one");
    if (sections_.back().entries.size() == most_entries)
      return stop("the section has more than " + std::to_string(most_entries) + " keys; make several of it");
    Entry e{line_, std::string(key), {}};
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (!value.empty()) e.lines.push_back({line_, std::string(value)});
    sections_.back().entries.push_back(std::move(e));
  }

  Complaints& complaints_;
  std::vector<Section> sections_;
  int line_ = 0;
  bool full_ = false;  // the rest of the file is left out
};

}  // namespace

std::string Entry::value() const {
  std::string text;
  for (const auto& [number, written] : lines) {
    const std::string_view words = trimmed(written);
    if (!words.empty()) text += (text.empty() ? "" : " ") + std::string(words);
  }
  return text;
}

const Entry* Section::find(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

std::vector<Section> parse_sections(std::string_view text, Complaints& complaints) {
  if (text.size() > most_lesson_bytes) {
    const auto line = 1 + std::count(text.begin(), text.begin() + most_lesson_bytes, '\n');
    complaints.add(static_cast<int>(line),
                   "the file is larger than a lesson may be (1 MiB); make it smaller");
    return {};
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const int line = broken_line(text); line > 0) {
    complaints.add(line, "is not UTF-8 text; save the file as UTF-8");
    return {};
  }
  Reader reader(complaints);
  while (!text.empty()) reader.take(take_line(text));
  return reader.finish();
}

}  // namespace tilewalk
