// Keys as browsers name them, in the words of keys.h and of Dear ImGui.
#pragma once

#include <optional>
#include <string_view>

#include "viz/keys.h"

namespace tilewalk::viz {

// KeyboardEvent.key with its modifiers; nothing where it means nothing to the viewer.
std::optional<KeyPress> key_press(std::string_view name, bool ctrl, bool shift);

// Keys that Dear ImGui's fields know. hold_key takes them by the name too.
void map_keys();
void hold_key(std::string_view name, bool down);

}  // namespace tilewalk::viz
