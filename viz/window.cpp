// The window: GLFW and OpenGL. Draws when something happened, and otherwise waits.
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include "sim/error.h"
#include "viz/canvas.h"
#include "viz/files.h"
#include "viz/image.h"
#include "viz/settings_file.h"
#include "viz/ui_context.h"
#include "viz/viewer.h"
#include "viz/window_keys.h"

namespace tilewalk::viz {
namespace {

constexpr const char* remedy =
    "; try 'tilewalk view --screenshot F.png', which needs no window, or 'tilewalk step' in the terminal";
constexpr double frame_time = 1.0 / 120;  // seconds
constexpr double heartbeat = 0.25;        // seconds between looks at `stop` while nothing happens
constexpr int frames_to_settle = 3;  // Dear ImGui needs some after an event until nothing changes any more

// GLFW and its window; closed in the right order.
class Window {
 public:
  explicit Window(const ViewerOptions& options) {
    if (!glfwInit()) throw NoWindow("there is no display: " + last_error() + remedy);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0);
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    handle_ = glfwCreateWindow(options.width, options.height, "tilewalk", nullptr, nullptr);
    if (!handle_) {
      const std::string why = last_error();
      glfwTerminate();
      throw NoWindow("there is no OpenGL 3.2: " + why +
                     "; LIBGL_ALWAYS_SOFTWARE=1 may help, with Mesa's drivers" + remedy);
    }
    glfwMakeContextCurrent(handle_);
    glfwSwapInterval(1);
  }
  ~Window() {
    glfwDestroyWindow(handle_);
    glfwTerminate();
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  GLFWwindow* handle() const { return handle_; }

 private:
  static std::string last_error() {
    const char* words = nullptr;
    glfwGetError(&words);
    return words ? words : "no reason given";
  }
  GLFWwindow* handle_ = nullptr;
};

// Dear ImGui's back ends, for as long as the window is there.
class Backend {
 public:
  explicit Backend(GLFWwindow* window) {
    ImGui_ImplGlfw_InitForOpenGL(window, true);  // calls the callbacks set before
    ImGui_ImplOpenGL3_Init("#version 150");
  }
  ~Backend() {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
  }
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
};

// Whether what was drawn is still there after the buffers are swapped. A software renderer copies its buffer
// to the screen, and gains much when only what changed is drawn; with a GPU neither is so.
bool keeps_pixels(GLFWwindow* window) {
  const auto* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  if (!renderer || !std::string_view(renderer).starts_with("llvmpipe")) return false;
  for (const unsigned char red : {51, 102, 153}) {
    glClearColor(float(red) / 255, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glfwSwapBuffers(window);
    unsigned char pixel[4] = {};
    glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
    if (pixel[0] != red) return false;
  }
  return true;
}

// In the current folder.
std::string next_free_name() {
  for (int n = 1; n < 10'000; ++n) {
    const std::string name = fmt::format("tilewalk_{:03}.png", n);
    if (!std::filesystem::exists(name)) return name;
  }
  throw RequestError("tilewalk_001.png to tilewalk_9999.png are all there; move some away");
}

void save_image(GLFWwindow* window, App& app, const std::string& path) {
  int width = 0, height = 0;
  glfwGetWindowSize(window, &width, &height);
  try {
    const std::string target = path.empty() ? next_free_name() : path;
    write_whole(target, picture_of(app, {float(width), float(height)}, kind_of(target)));
    app.say(filled(Str::saved_as, app.settings().language, target), true);
  } catch (const RequestError& error) {
    app.say(error.what());
  }
}

// What the app was asked to hand out, and the window's title.
void hand_out(GLFWwindow* window, App& app, std::string& title) {
  if (const auto text = app.take_copied()) glfwSetClipboardString(window, text->c_str());
  for (const std::string& path : app.take_images()) save_image(window, app, path);
  if (app.wants_to_quit()) glfwSetWindowShouldClose(window, GLFW_TRUE);
  if (app.title() == title) return;
  title = app.title();
  glfwSetWindowTitle(window, title.c_str());
}

void run_loop(GLFWwindow* window, UiContext& ui, App& app, PressedKeys& keys,
              const std::function<bool()>& stop, const std::string& settings_file) {
  using Clock = std::chrono::steady_clock;
  auto before = Clock::now();
  int frames_left = frames_to_settle;
  bool drawn = true;
  std::string title;
  SettingsKeeper keeper(settings_file, app.settings());
  Canvas canvas(keeps_pixels(window));
  while (!glfwWindowShouldClose(window) && !stop()) {
    if (frames_left > 0 || app.moving()) {
      drawn ? glfwPollEvents()
            : glfwWaitEventsTimeout(frame_time);  // swapping the buffers waits, if it is done
    } else {
      keys.happened = false;
      glfwWaitEventsTimeout(heartbeat);
      if (keys.take_happened()) frames_left = frames_to_settle;
      if (frames_left == 0) continue;
      before = Clock::now();
    }
    if (keys.take_happened()) frames_left = frames_to_settle;
    for (const KeyPress& key : keys.take()) app.press(key);
    if (!keys.dropped.empty()) app.apply(OpenFiles{std::exchange(keys.dropped, {})});
    const auto now = Clock::now();
    app.update(std::chrono::duration<double>(now - before).count());
    before = now;
    drawn = canvas.draw(ui, app, keys.take_exposed(), ImGui_ImplGlfw_NewFrame);
    if (drawn) glfwSwapBuffers(window);
    hand_out(window, app, title);
    if (const std::string wrong = keeper.look(app.settings()); !wrong.empty()) app.say(wrong);
    frames_left = std::max(0, frames_left - 1);
  }
}

}  // namespace

void show_window(const ViewerOptions& options, const std::function<bool()>& stop) {
  const Window window(options);
  PressedKeys keys;
  listen(window.handle(), keys);
  UiContext ui;
  const Backend backend(window.handle());
  App app(options.settings, options.selection, [&keys] {
    keys.happened = true;
    glfwPostEmptyEvent();
  });
  begin(app, options);
  if (options.playing) app.play_once_open();
  if (!options.notice.empty()) app.say(options.notice);
  run_loop(window.handle(), ui, app, keys, stop, options.settings_file);
}

}  // namespace tilewalk::viz
