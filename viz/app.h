// The viewer's state, and the only thing that changes it. It knows no window: views draw its frames, and
// whoever shows them hands it keys and time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "viz/frame.h"
#include "viz/gpu_job.h"
#include "viz/keys.h"
#include "viz/lesson_book.h"
#include "viz/run_worker.h"

namespace tilewalk::viz {

class App {
 public:
  // `wake` is called on another thread when a run has got somewhere; the window then draws again.
  explicit App(Settings settings, Selection selection = {}, std::function<void()> wake = {},
               WorkMode mode = default_work_mode);

  void apply(const Command& command);
  void apply(const Commands& commands);
  bool press(const KeyPress& key);  // whether it means something

  // Takes what the runs have reached, and plays on. To be called before each frame with the time since the
  // last.
  void update(double seconds);
  // In slices: goes on with what the runs have to do, until about then; returns whether more is left.
  bool work_until(WorkClock::time_point end);
  // The picture changes by itself: a run plays, or a tile is in flight.
  bool moving() const { return playing_ || flight_ < 1; }
  // Waits until every run is where it was asked to go, and takes it; false when that takes longer.
  bool settle(std::chrono::milliseconds limit);
  // Waits until nothing is left to be found out about the runs: where a fault shows, what a GPU did.
  bool rest(std::chrono::milliseconds limit);

  // Everything that the next picture is made from. Valid until the next call of anything above.
  Frame frame(const Fonts& fonts) const;

  const Settings& settings() const { return settings_; }
  // The words of the command line that show the same (view_words).
  std::vector<std::string> words(bool complete) const;
  bool shows_own_files() const;  // so that the words mean nothing to anybody else
  // What CopyCall copies instead of a line for a shell.
  void copy_as(std::function<std::string(const App&)> form) { copy_form_ = std::move(form); }
  void set_density(float pixels) { settings_.density = pixels; }
  const Characters& characters() const { return characters_; }  // that may have to be drawn
  bool wants_to_quit() const { return quit_; }
  std::string title() const;  // of the window: where it is, for task bars, screen readers and tests
  // What was asked for since the last call: text for the clipboard, files to write the picture to.
  std::optional<std::string> take_copied() { return std::exchange(copied_, std::nullopt); }
  std::vector<std::string> take_images() { return std::exchange(images_, {}); }
  void play_once_open() { playing_ = true; }
  // Shown in the status line until the next step; `good`: nothing went wrong.
  void say(std::string notice, bool good = false);

 private:
  void open(const OpenRuns& command);
  void go(std::size_t run, Where where, bool at_once);
  void step(int direction, std::size_t times);
  void take_opened();
  void take_moments();
  void follow_leader();
  void play(double seconds);
  void move_row(int direction);
  void clamp_selection();
  void move_field(int direction);
  void change_field(int direction);
  void keep_runs();
  void open_files(const std::vector<std::string>& paths);
  void run_kernel(const std::string& kernel);
  void take_gpu();
  void seek_divergence();
  void seek_words(const SeekWords& command);
  void raise(ViewId view);
  void need_lesson_characters();
  void need_step_characters();
  void open_lesson(const OpenLesson& command);
  void turn_page(int direction);
  void close_lesson();
  void show_step(const OpenLesson& how = {});
  void set_language(Language language);
  bool takes_tile(const SeekTile& tile);  // as the answer to the lesson's question
  void answer(const std::string& text);
  void keep_scores();
  void next_view(int direction);
  void close_overlay();

  std::function<void()> wake_;
  WorkMode mode_;
  Settings settings_;
  Selection selection_;
  Characters characters_;
  std::vector<std::unique_ptr<RunWorker>> runs_,
      opening_;                      // opening_ takes the place of runs_ once all are loaded
  std::vector<WorkerStatus> shown_;  // of runs_, as of the last update
  std::vector<RunFrame> frames_;
  std::size_t leader_ = 0;  // the run that was asked last; the others follow it by progress
  bool playing_ = false, keys_shown_ = false, quit_ = false;
  double due_ = 0;  // steps that playing is behind
  float flight_ = 1;
  double loading_ = -1;
  std::vector<RunRequest> asked_;
  std::string refused_;
  LessonBook book_;
  std::vector<std::string>
      lesson_runs_;  // the words of the runs that a lesson opened; empty: others are open
  GpuJob gpu_job_;
  GpuStatus gpu_;
  int focus_go_to_ = 0;  // pictures for which the field is still to be typed into
  std::string notice_, recorded_, recorded_at_;
  std::int64_t lesson_row_ = -1;  // to be looked at once the lesson's runs are open
  std::function<std::string(const App&)> copy_form_;
  bool notice_good_ = false;
  std::optional<std::string> copied_;
  std::vector<std::string> images_;
};

// Of words as of find_anchor (sim/anchor.h). Throws RequestError.
std::uint64_t position_of_words(Timeline& timeline, const std::string& words);

struct ViewerOptions;
// What the viewer begins with: runs at a place, or a lesson.
void begin(App& app, const ViewerOptions& options);

}  // namespace tilewalk::viz
