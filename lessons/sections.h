// The plain form of a lesson file, before it means anything: sections of entries.
//
//   # a comment
//   key: value, and what is indented below belongs to it
//     more of the value
//   [section words]
//   key: …
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lessons/complaints.h"

namespace tilewalk {

struct TextLine {
  int line;
  std::string text;  // without the indentation of its entry
};

struct Entry {
  int line;
  std::string key;
  std::vector<TextLine> lines;  // the first: what follows the colon; empty when nothing does

  std::string value() const;  // the lines joined by spaces
};

struct Section {
  int line;
  std::vector<std::string> words;  // "[predict number]": predict, number; none: the header
  std::vector<Entry> entries;

  const Entry* find(std::string_view key) const;  // null: none
};

// Far beyond any lesson, and few enough that everything may be compared with everything.
constexpr std::size_t most_lesson_bytes = 1 << 20, most_sections = 400, most_entries = 100;

// The first section is the header. Whatever is no UTF-8 text of moderate size is complained of, and gives
// none.
std::vector<Section> parse_sections(std::string_view text, Complaints& complaints);

}  // namespace tilewalk
