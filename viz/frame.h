// All that a picture is made from. Views read it and ask for changes by Commands; nothing else reaches them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "viz/command.h"
#include "viz/fonts.h"
#include "viz/moment.h"
#include "viz/run_request.h"
#include "viz/settings.h"
#include "viz/strings.h"
#include "viz/theme.h"

namespace tilewalk::viz {

struct Divergence;
struct GpuStatus;
struct LessonFrame;

struct RunFrame {
  const RunFacts& facts;  // plan, inputs, totals: what does not depend on the position
  const Moment& moment;   // what does
  bool busy = false;      // on its way to another position; `moment` is where it was last
  double progress = 0;
  const Divergence* divergence = nullptr;  // of a faulty schedule from the sound one, once it is known

  const Plan& plan() const { return *facts.plan; }
  bool has_values() const { return facts.inputs != nullptr; }
};

struct Frame {
  std::span<const RunFrame> runs;  // one to three, locked by progress; none while the first one is opened
  const Settings& settings;
  const Selection& selection;
  const Theme& theme;
  const Fonts& fonts;
  bool playing = false;
  // Of the tile in flight: 0 has just left, 1 has arrived.
  float flight = 1;
  bool keys_shown = false;
  double loading = -1;                  // progress of a run that is being opened; -1: none is
  std::string_view notice;              // what went wrong last, or was done, in one line; "": nothing
  bool notice_good = false;             // it was done
  std::span<const RunRequest> asked;    // the runs on the screen, or those that could not be opened
  const GpuStatus* gpu = nullptr;       // null: nothing was asked of a GPU
  const LessonFrame* lesson = nullptr;  // null: there are none, as in tests of a view
  bool focus_go_to = false;             // the field for places is to be typed into
  std::string_view refused;             // why they could not be; "": they could

  // Pixels of a length given at scale 1.
  float px(float length) const { return length * settings.pixels(); }

  std::string_view text(Str id) const { return viz::text(id, settings.language); }
  template <class... Values>
  std::string filled(Str id, const Values&... values) const {
    return viz::filled(id, settings.language, values...);
  }
};

}  // namespace tilewalk::viz
