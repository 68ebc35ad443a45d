// Keys, as a table: what is pressed, what it does, and how the overlay at `?` says it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "viz/command.h"
#include "viz/strings.h"

namespace tilewalk::viz {

// Keys that mean something, whatever window library says so. Letters are written small.
enum class Key : std::uint8_t {
  space,
  a,
  left,
  right,
  up,
  down,
  home,
  end,
  page_up,
  page_down,
  escape,
  tab,
  f2,
  f3,
  digit0,
  digit1,
  digit2,
  digit3,
  digit4,
  plus,
  minus,
  left_bracket,
  right_bracket,
  question,
  c,
  d,
  f,
  g,
  l,
  p,
  q,
  r,
  s,
  t
};

struct KeyPress {
  Key key;
  bool ctrl = false, shift = false;
  bool operator==(const KeyPress&) const = default;
};

// What a typed character means. Characters rather than codes, because where they lie depends on the
// keyboard's layout.
std::optional<Key> key_of_character(char32_t character);
// Of keys that are known by their code too: only with Ctrl do these mean something; without it they are
// characters.
bool needs_ctrl(Key key);

struct KeyRow {
  KeyPress press;
  std::string_view shown;  // "": the row before it speaks for this one too
  Str text;
  Command command;
};

std::span<const KeyRow> key_table();

// The row of a key; null when it means nothing.
const KeyRow* row_of(const KeyPress& press);

}  // namespace tilewalk::viz
