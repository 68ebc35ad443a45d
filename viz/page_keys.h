// Keys as browsers name them, in the words of keys.h and of Dear ImGui.
#pragma once

#include <deque>
#include <optional>
#include <string_view>

#include "viz/keys.h"

namespace tilewalk::viz {

// KeyboardEvent.key with its modifiers; nothing where it means nothing to the viewer.
std::optional<KeyPress> key_press(std::string_view name, bool ctrl, bool shift);

// What happens to keys while a frame is being drawn, for Dear ImGui's fields: it sees a key only in the state
// that it has when a frame begins, so that a quick stroke must last until the next one.
class FieldKeys {
 public:
  FieldKeys();  // of the current context
  // Returns whether fields know the key.
  bool stroke(std::string_view name, bool down, bool ctrl, bool shift, bool alt);
  void release_all();
  // To be called before a frame; `empty` tells whether another one is needed.
  void take();
  bool empty() const { return strokes_.empty(); }

 private:
  struct Stroke {
    int key;  // -1: none that fields know, but the modifiers may have changed
    bool down, ctrl, shift, alt;
  };
  std::deque<Stroke> strokes_;
};

}  // namespace tilewalk::viz
