#include "viz/app.h"

#include <algorithm>
#include <cmath>

#include "sim/anchor.h"
#include "viz/command_line.h"
#include "viz/what_if.h"

namespace tilewalk::viz {
namespace {

constexpr float speeds[] = {0.25f, 0.5f, 1, 2, 4, 8, 16, 32, 64, 128};
constexpr float scales[] = {least_scale, 0.9f, 1, 1.1f, 1.25f, 1.5f, 1.75f, 2, 2.5f, most_scale};
constexpr double flight_time = 0.35;  // seconds

// The next of the values in this direction; the last one stays.
template <std::size_t n>
float neighbour(const float (&values)[n], float now, int direction) {
  if (direction > 0) {
    const auto next = std::find_if(values, values + n, [&](float v) { return v > now + 1e-3f; });
    return next == values + n ? now : *next;
  }
  const auto next =
      std::find_if(std::rbegin(values), std::rend(values), [&](float v) { return v < now - 1e-3f; });
  return next == std::rend(values) ? now : *next;
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

App::App(Settings settings, Selection selection, std::function<void()> wake, WorkMode mode)
    : wake_(std::move(wake)),
      mode_(mode),
      settings_(std::move(settings)),
      selection_(selection),
      book_(settings_.scores),
      gpu_job_(wake_, mode) {
  need_lesson_characters();
  for (const StringRow& row : string_table()) {
    characters_.need(row.en);
    characters_.need(row.zh);
  }
  for (const KeyRow& row : key_table()) characters_.need(row.shown);
  // Of texts that no table holds: letters of the papers, and what helpers add.
  characters_.need("ℓαβ⁽ᵗ⁾ᵀ·×−…—→←↑↓∞≤≥≈√ΣΔ≠′τπ°µ\u00A0\uFFFD‹›中文");
}

void App::say(std::string notice, bool good) {
  characters_.need(notice);
  notice_ = std::move(notice);
  notice_good_ = good;
}

std::string App::title() const {
  if (frames_.empty()) return "tilewalk";
  const RunFrame& run = frames_.front();
  const std::string place = filled(Str::event_of, settings_.language, run.moment.position, run.facts.size);
  return fmt::format("tilewalk: {} · {}", title_of(run.facts), place);
}

void App::apply(const Commands& commands) {
  for (const Command& command : commands) apply(command);
}

void App::apply(const Command& command) {
  std::visit(
      Overloaded{
          [&](const Seek& c) {
            go(
                c.run, [p = c.position](Timeline&) { return p; }, true);
          },
          [&](const SeekTile& c) {
            if (c.run >= shown_.size() || takes_tile(c)) return;
            const Moment& moment = *shown_[c.run].moment;
            go(
                c.run,
                [tile = TileId{c.row, c.col}, launch = moment.location.launch, instance = moment.instance](
                    Timeline& t) { return position_of_tile(t, launch, instance, tile); },
                true);
          },
          [&](const SeekWords& c) { seek_words(c); },
          [&](const SeekEnd& c) {
            go(
                leader_, [end = c.end](Timeline& timeline) { return end ? timeline.size() : 0; }, true);
          },
          [&](const Step& c) {
            playing_ = false;
            step(c.direction, 1);
          },
          [&](const TogglePlay&) { playing_ = !playing_ && !runs_.empty(), due_ = 0; },
          [&](const SetStepSize& c) { settings_.step = c.size; },
          [&](const SetSpeed& c) {
            if (c.steps_a_second > 0)
              settings_.speed = std::clamp(c.steps_a_second, speeds[0], *std::rbegin(speeds));
          },
          [&](const ChangeSpeed& c) { settings_.speed = neighbour(speeds, settings_.speed, c.direction); },
          [&](const SelectRow& c) {
            selection_.row = c.row;
            clamp_selection();
          },
          [&](const ShowTile& c) { selection_.tile = c.tile; },
          [&](const NextTile&) {
            constexpr int count = static_cast<int>(TileShown::rows) + 1;
            selection_.tile = static_cast<TileShown>((static_cast<int>(selection_.tile) + 1) % count);
          },
          [&](const MoveRow& c) { move_row(c.direction); },
          [&](const SetLanguage& c) { set_language(c.language); },
          [&](const ToggleLanguage&) {
            set_language(settings_.language == Language::en ? Language::zh : Language::en);
          },
          [&](const SetTheme& c) { settings_.theme = c.theme; },
          [&](const NextTheme&) {
            settings_.theme = static_cast<ThemeName>((static_cast<int>(settings_.theme) + 1) % 3);
          },
          [&](const ChangeScale& c) {
            settings_.scale = c.direction == 0 ? 1 : neighbour(scales, settings_.scale, c.direction);
          },
          [&](const ToggleProjector&) { settings_.projector = !settings_.projector; },
          [&](const ToggleKeys&) { keys_shown_ = !keys_shown_; },
          [&](const CloseOverlay&) { close_overlay(); },
          [&](const RaiseView& c) { raise(c.view); },
          [&](const NextView& c) { next_view(c.direction); },
          [&](const OpenRuns& c) { open(c); },
          [&](const MoveField& c) { move_field(c.direction); },
          [&](const SelectField& c) { selection_.field = c.field % what_if_fields().size(); },
          [&](const ChangeField& c) { change_field(c.direction); },
          [&](const KeepRuns&) { keep_runs(); },
          [&](const CopyCall&) {
            copied_ = copy_form_ ? copy_form_(*this) : shell_line(words(false));
            say(filled(Str::copied, settings_.language, *copied_), true);
          },
          [&](const OpenRecorded& c) {
            recorded_ = c.name;
            recorded_at_ = c.at;
            gpu_job_.open(c.name);
          },
          [&](const RunKernel& c) { run_kernel(c.kernel); },
          [&](const OpenFiles& c) { open_files(c.paths); },
          [&](const OpenLesson& c) { open_lesson(c); },
          [&](const CloseLesson&) { close_lesson(); },
          [&](const TurnPage& c) { turn_page(c.direction); },
          [&](const AnswerPrediction& c) { answer(c.text); },
          [&](const RevealAnswer&) {
            book_.give_up();
            keep_scores();
          },
          [&](const AskAgain&) {
            book_.ask_again();
            keep_scores();
          },
          [&](const ToggleAnswers&) { settings_.answers = !settings_.answers; },
          [&](const SeekDivergence&) { seek_divergence(); },
          [&](const FocusGoTo&) { focus_go_to_ = 2; },
          [&](const CopyText& c) { copied_ = c.text; },
          [&](const SaveImage& c) { images_.push_back(c.path); },
          [&](const Quit&) { quit_ = true; },
      },
      command);
}

bool App::press(const KeyPress& key) {
  const KeyRow* row = row_of(key);
  if (row) apply(row->command);
  return row != nullptr;
}

// Views may rely on it: a row of every run on the screen.
void App::clamp_selection() {
  for (const WorkerStatus& status : shown_) {
    if (status.facts)
      selection_.row = std::clamp<std::int64_t>(selection_.row, -1, status.facts->plan->problem().n_q - 1);
  }
}

void App::move_row(int direction) {
  if (shown_.empty()) return;
  const Moment& moment = *shown_[leader_].moment;
  const Plan& plan = *shown_[leader_].facts->plan;
  std::int64_t row = selection_.row;
  if (row < 0) row = moment.tile ? plan.kernels[moment.location.launch].start(Axis::q, moment.tile->row) : 0;
  selection_.row =
      std::clamp<std::int64_t>(row + direction, 0, std::max<std::int64_t>(0, plan.problem().n_q - 1));
}

void App::raise(ViewId view) {
  std::erase(settings_.raised, view);
  settings_.raised.push_back(view);
}

void App::next_view(int direction) {
  const auto count = static_cast<int>(view_count);
  const int now = settings_.raised.empty() ? 0 : static_cast<int>(settings_.raised.back());
  raise(static_cast<ViewId>((now + direction + count) % count));
}

void App::close_overlay() {
  if (keys_shown_) {
    keys_shown_ = false;
  } else {
    playing_ = false;
    notice_.clear();
  }
}

void App::update(double seconds) {
  take_opened();
  take_moments();
  take_gpu();
  focus_go_to_ = std::max(0, focus_go_to_ - 1);
  play(seconds);
  const double time = playing_ ? std::min(flight_time, 0.8 / double(settings_.speed)) : flight_time;
  flight_ = std::min(1.0f, flight_ + float(seconds / time));
}

Frame App::frame(const Fonts& fonts) const {
  return {.runs = frames_,
          .settings = settings_,
          .selection = selection_,
          .theme = theme_of(settings_.theme),
          .fonts = fonts,
          .playing = playing_,
          .flight = flight_,
          .keys_shown = keys_shown_,
          .loading = loading_,
          .notice = notice_,
          .notice_good = notice_good_,
          .asked = asked_,
          .gpu = gpu_.busy || gpu_.check || !gpu_.error.empty() ? &gpu_ : nullptr,
          .lesson = &book_.frame(),
          .focus_go_to = focus_go_to_ > 0,
          .refused = refused_};
}

}  // namespace tilewalk::viz
