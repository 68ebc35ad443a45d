// What happens to the window, and the keys pressed in it, in the words of keys.h.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "viz/keys.h"

struct GLFWwindow;

namespace tilewalk::viz {

struct PressedKeys {
  std::vector<KeyPress> pressed;
  std::vector<std::string> dropped;    // files
  std::atomic<bool> happened = false;  // anything at all, also a run that has got somewhere
  bool exposed = true;                 // the window's pixels are lost: it was covered, or has another size

  std::vector<KeyPress> take() { return std::exchange(pressed, {}); }
  bool take_exposed() { return std::exchange(exposed, false); }
  bool take_happened() { return happened.exchange(false); }
};

// Sets the window's callbacks. `keys` must live as long as the window.
void listen(GLFWwindow* window, PressedKeys& keys);

}  // namespace tilewalk::viz
