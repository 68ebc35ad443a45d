// The window as a page. The page's script (page/page.js) hands on what happens, asks for frames, and carries
// out what only a browser can: the clipboard, downloads, the address. It sleeps while frame() says that
// nothing moves.
#include <backends/imgui_impl_opengl3.h>
#include <emscripten.h>
#include <emscripten/html5.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <memory>

#include "sim/error.h"
#include "viz/canvas.h"
#include "viz/command_line.h"
#include "viz/image.h"
#include "viz/page_keys.h"
#include "viz/settings_file.h"
#include "viz/transcript.h"
#include "viz/viewer.h"

// Of the page's script. Texts are UTF-8 and end with a zero; words are one a line.
EM_JS(int, page_renders_in_software, (), { return Module.page.software ? 1 : 0; });
EM_JS(void, page_copy, (const char* text), { Module.page.copy(UTF8ToString(text)); });
EM_JS(void, page_keep, (const char* settings), { Module.page.keep(UTF8ToString(settings)); });
EM_JS(void, page_title, (const char* text), { document.title = UTF8ToString(text); });
EM_JS(void, page_language, (const char* code), { Module.page.setLanguage(UTF8ToString(code)); });
EM_JS(void, page_tell, (const char* text), { Module.page.tell(UTF8ToString(text)); });
EM_JS(void, page_address, (const char* words), { Module.page.setAddress(UTF8ToString(words)); });
EM_JS(void, page_download, (const char* name, const char* bytes, int size),
      { Module.page.download(UTF8ToString(name), HEAPU8.slice(bytes, bytes + size)); });
EM_JS(char*, page_link, (const char* words), {
  const link = Module.page.linkOf(UTF8ToString(words));
  const size = lengthBytesUTF8(link) + 1;
  const text = _malloc(size);
  stringToUTF8(link, text, size);
  return text;
});

namespace tilewalk::viz {
namespace {

constexpr int frames_to_settle = 3;  // Dear ImGui needs some after an event until nothing changes any more
constexpr std::chrono::milliseconds slice{12};  // for the runs, between two frames
constexpr float line_of_wheel = 100;            // pixels that browsers scroll by one notch

struct PointerEvent {
  float x, y;
  int button;  // -1: it moved
  bool down;
};

void make_context() {
  static EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context = 0;
  if (context == 0) {
    EmscriptenWebGLContextAttributes wanted;
    emscripten_webgl_init_context_attributes(&wanted);
    wanted.majorVersion = 2;
    wanted.alpha = wanted.depth = wanted.stencil = wanted.antialias = false;
    wanted.preserveDrawingBuffer = page_renders_in_software();
    context = emscripten_webgl_create_context("#canvas", &wanted);
  }
  if (context <= 0) throw NoWindow("this browser has no WebGL2");
  emscripten_webgl_make_context_current(context);
}

class Backend {
 public:
  Backend() { ImGui_ImplOpenGL3_Init("#version 300 es"); }
  ~Backend() { ImGui_ImplOpenGL3_Shutdown(); }
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + "\n";
  return text;
}

// What others can open: without files that only this page has.
std::vector<std::string> link_words(const App& app) {
  return app.shows_own_files() ? view_words({{}, 0, app.settings(), {}, {}, {}, false, {}}, true)
                               : app.words(true);
}

std::string link_of(const App& app) {
  char* text = page_link(joined(link_words(app)).c_str());
  const std::string link = text;
  std::free(text);
  return link;
}

class Page {
 public:
  explicit Page(const ViewerOptions& options)
      : app_(options.settings, options.selection, [this] { happened(); }),
        canvas_(page_renders_in_software() != 0),
        keeper_(options.settings_file, options.settings) {
    keeper_.also([](const std::string& settings) { page_keep(settings.c_str()); });
    app_.copy_as(link_of);
    ImGui::GetIO().SetClipboardTextFn = [](void*, const char* text) { page_copy(text); };  // of a field
    begin(app_, options);
    if (options.playing) app_.play_once_open();
    if (!options.notice.empty()) app_.say(options.notice);
  }

  // Milliseconds of the page's clock; the canvas in its own pixels, of which `density` make one of the
  // page's. Returns whether another frame is wanted at once.
  bool frame(double now, int width, int height, float density) {
    app_.set_density(density);
    if (width != width_ || height != height_) afresh_ = true, happened();
    width_ = width, height_ = height;
    if (wants_frame()) draw(now);
    const bool more = app_.work_until(WorkClock::now() + slice);
    return more || wants_frame();
  }

  void happened() { frames_left_ = frames_to_settle; }
  void expose() { afresh_ = true, happened(); }

  void point(const PointerEvent& event) {
    pointer_.push_back(event);
    happened();
  }
  // By pixels.
  void scroll(float x, float y) {
    ImGui::GetIO().MouseWheelH += -x / line_of_wheel;
    ImGui::GetIO().MouseWheel += -y / line_of_wheel;
    happened();
  }

  // Returns whether the key means something here, so that the browser should leave it.
  bool press(std::string_view name, bool down, bool ctrl, bool shift, bool alt) {
    ImGuiIO& io = ImGui::GetIO();
    const bool known = keys_.stroke(name, down, ctrl, shift, alt);
    happened();
    if (!down) return false;
    if (io.WantTextInput) {
      std::string_view rest = name;
      const bool types = !ctrl && !name.empty() && (take_character(rest), rest.empty());
      if (types) io.AddInputCharactersUTF8(std::string(name).c_str());
      const bool pastes = ctrl && name == "v";  // comes as an event of its own
      return types || (known && !pastes);
    }
    if (alt) return false;
    const auto key = key_press(name, ctrl, shift);
    return key && app_.press(*key);
  }

  void type(const char* text) {
    if (ImGui::GetIO().WantTextInput) ImGui::GetIO().AddInputCharactersUTF8(text);
    happened();
  }

  void open(std::vector<std::string> paths) {
    app_.apply(OpenFiles{std::move(paths)});
    happened();
  }
  void copy() {
    app_.apply(CopyCall{});
    happened();
  }
  void say(std::string text) {
    app_.say(std::move(text));
    happened();
  }
  void blur() {
    keys_.release_all();
    happened();
  }

  // For measurements: what the last frame cost to build, in seconds, and the same triangles drawn once more.
  double built() const { return canvas_.built(); }
  std::size_t vertices() const { return vertices_; }
  void draw_again() {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  }

 private:
  bool wants_frame() const {
    return frames_left_ > 0 || app_.moving() || !pointer_.empty() || !keys_.empty();
  }

  // One change of a button a frame, so that a quick click is seen.
  void take_pointer() {
    ImGuiIO& io = ImGui::GetIO();
    while (!pointer_.empty()) {
      const PointerEvent event = pointer_.front();
      pointer_.pop_front();
      io.MousePos = {event.x, event.y};
      if (event.button < 0 || event.button > 2) continue;
      io.MouseDown[event.button] = event.down;
      return;
    }
  }

  void draw(double now) {
    const double seconds = std::clamp((now - before_) / 1000, 1e-4, 0.25);
    before_ = now;
    take_pointer();
    keys_.take();
    app_.update(seconds);
    ImGuiIO& io = ImGui::GetIO();
    canvas_.draw(ui_, app_, std::exchange(afresh_, false), [&] {
      io.DisplaySize = {float(width_), float(height_)};
      io.DeltaTime = float(seconds);
    });
    vertices_ = std::size_t(ImGui::GetDrawData()->TotalVtxCount);
    frames_left_ = std::max(0, frames_left_ - 1);
    hand_out();
  }

  void hand_out() {
    if (const auto text = app_.take_copied()) {
      page_copy(text->c_str());
      if (app_.shows_own_files())
        app_.say(std::string(viz::text(Str::link_without_files, app_.settings().language)));
    }
    for (const std::string& name : app_.take_images()) save_image(name);
    if (app_.title() != title_) page_title((title_ = app_.title()).c_str());
    if (const std::string code(language_codes[std::size_t(app_.settings().language)]); code != language_)
      page_language((language_ = code).c_str());
    if (const std::string wrong = keeper_.look(app_.settings()); !wrong.empty()) app_.say(wrong);
    if (frames_left_ > 0 || app_.moving()) return;
    // Once things rest: a reader that speaks, and a browser's history, could not follow a run that plays.
    page_tell(transcript_of(app_.frame({})).c_str());
    page_address(joined(link_words(app_)).c_str());
  }

  void save_image(const std::string& wanted) {
    const std::string name = wanted.empty() ? fmt::format("tilewalk_{:03}.png", ++pictures_) : wanted;
    try {
      const std::string bytes = picture_of(app_, {float(width_), float(height_)}, kind_of(name));
      page_download(name.c_str(), bytes.data(), int(bytes.size()));
      app_.say(filled(Str::saved_as, app_.settings().language, name), true);
    } catch (const RequestError& error) {
      app_.say(error.what());
    }
  }

  UiContext ui_;
  Backend backend_;
  FieldKeys keys_;
  App app_;
  Canvas canvas_;
  SettingsKeeper keeper_;
  std::deque<PointerEvent> pointer_;
  std::string title_, language_;
  double before_ = 0;
  std::size_t vertices_ = 0;
  int width_ = 0, height_ = 0, frames_left_ = frames_to_settle, pictures_ = 0;
  bool afresh_ = true;
};

std::unique_ptr<Page> page;

}  // namespace

// Returns at once: the page's script asks for the frames.
void show_window(const ViewerOptions& options, const std::function<bool()>&) {
  page.reset();
  make_context();
  page = std::make_unique<Page>(options);
}

}  // namespace tilewalk::viz

// What the page's script calls. Before a run of the program has opened the window they do nothing.
extern "C" {

using tilewalk::viz::page;

EMSCRIPTEN_KEEPALIVE int page_is_open() { return page != nullptr; }

EMSCRIPTEN_KEEPALIVE int page_frame(double now, int width, int height, float density) {
  return page && page->frame(now, width, height, density);
}

EMSCRIPTEN_KEEPALIVE void page_pointer(float x, float y, int button, int down) {
  if (page) page->point({x, y, button, down != 0});
}

EMSCRIPTEN_KEEPALIVE void page_scroll(float x, float y) {
  if (page) page->scroll(x, y);
}

// Whether a press has hold of something that moves with it, such as a slider.
EMSCRIPTEN_KEEPALIVE int page_holds() { return page && ImGui::IsAnyItemActive(); }

EMSCRIPTEN_KEEPALIVE int page_key(const char* name, int down, int ctrl, int shift, int alt) {
  return page && page->press(name, down != 0, ctrl != 0, shift != 0, alt != 0);
}

EMSCRIPTEN_KEEPALIVE void page_text(const char* text) {
  if (page) page->type(text);
}

// Paths, one a line.
EMSCRIPTEN_KEEPALIVE void page_drop(const char* lines) {
  std::vector<std::string> paths;
  for (std::string_view rest = lines; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    paths.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  if (page) page->open(std::move(paths));
}

EMSCRIPTEN_KEEPALIVE void page_copy_link() {
  if (page) page->copy();
}

EMSCRIPTEN_KEEPALIVE void page_say(const char* text) {
  if (page) page->say(text);
}

EMSCRIPTEN_KEEPALIVE void page_blur() {
  if (page) page->blur();
}

EMSCRIPTEN_KEEPALIVE void page_expose() {
  if (page) page->expose();
}

EMSCRIPTEN_KEEPALIVE double page_built() { return page ? page->built() : 0; }
EMSCRIPTEN_KEEPALIVE int page_vertices() { return page ? int(page->vertices()) : 0; }
EMSCRIPTEN_KEEPALIVE void page_draw_again() {
  if (page) page->draw_again();
}

}  // extern "C"
