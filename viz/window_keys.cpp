#include "viz/window_keys.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <optional>

namespace tilewalk::viz {
namespace {

constexpr std::pair<int, Key> by_code[] = {{GLFW_KEY_SPACE, Key::space},
                                           {GLFW_KEY_LEFT, Key::left},
                                           {GLFW_KEY_RIGHT, Key::right},
                                           {GLFW_KEY_UP, Key::up},
                                           {GLFW_KEY_DOWN, Key::down},
                                           {GLFW_KEY_HOME, Key::home},
                                           {GLFW_KEY_END, Key::end},
                                           {GLFW_KEY_ESCAPE, Key::escape},
                                           {GLFW_KEY_PAGE_UP, Key::page_up},
                                           {GLFW_KEY_PAGE_DOWN, Key::page_down},
                                           {GLFW_KEY_1, Key::digit1},
                                           {GLFW_KEY_2, Key::digit2},
                                           {GLFW_KEY_3, Key::digit3},
                                           {GLFW_KEY_4, Key::digit4},
                                           {GLFW_KEY_TAB, Key::tab},
                                           {GLFW_KEY_F2, Key::f2},
                                           {GLFW_KEY_F3, Key::f3},
                                           {GLFW_KEY_F1, Key::question},
                                           {GLFW_KEY_KP_ADD, Key::plus},
                                           {GLFW_KEY_KP_SUBTRACT, Key::minus},
                                           {GLFW_KEY_KP_0, Key::digit0},
                                           {GLFW_KEY_EQUAL, Key::plus},
                                           {GLFW_KEY_MINUS, Key::minus},
                                           {GLFW_KEY_0, Key::digit0},
                                           {GLFW_KEY_Q, Key::q},
                                           {GLFW_KEY_C, Key::c}};

PressedKeys& keys_of(GLFWwindow* window) {
  return *static_cast<PressedKeys*>(glfwGetWindowUserPointer(window));
}

// While somebody types into a field, keys belong to it.
bool is_typing() { return ImGui::GetCurrentContext() && ImGui::GetIO().WantTextInput; }

void on_key(GLFWwindow* window, int code, int, int action, int mods) {
  PressedKeys& keys = keys_of(window);
  keys.happened = true;
  if (action == GLFW_RELEASE || is_typing()) return;
  const bool ctrl = mods & GLFW_MOD_CONTROL, shift = mods & GLFW_MOD_SHIFT;
  for (const auto& [glfw, key] : by_code) {
    if (glfw != code || (needs_ctrl(key) && !ctrl)) continue;
    // Shift only tells Tab from Shift Tab: Ctrl + is Ctrl Shift = on many keyboards.
    keys.pressed.push_back({key, ctrl, shift && key == Key::tab});
  }
}

void on_character(GLFWwindow* window, unsigned character) {
  PressedKeys& keys = keys_of(window);
  keys.happened = true;
  if (is_typing()) return;
  if (const auto key = key_of_character(character)) keys.pressed.push_back({*key});
}

void note(GLFWwindow* window) { keys_of(window).happened = true; }

void expose(GLFWwindow* window) {
  keys_of(window).exposed = true;
  note(window);
}

}  // namespace

void listen(GLFWwindow* window, PressedKeys& keys) {
  glfwSetWindowUserPointer(window, &keys);
  glfwSetKeyCallback(window, on_key);
  glfwSetCharCallback(window, on_character);
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double, double) { note(w); });
  glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int, int, int) { note(w); });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double, double) { note(w); });
  glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int) { note(w); });
  glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int) { note(w); });
  glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
    keys_of(w).dropped.assign(paths, paths + count);
    note(w);
  });
  glfwSetWindowRefreshCallback(window, expose);
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { expose(w); });
}

}  // namespace tilewalk::viz
