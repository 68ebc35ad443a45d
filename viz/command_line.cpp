#include "viz/command_line.h"

#include <fmt/format.h>

#include "lessons/heads.h"
#include "sim/arch.h"
#include "sim/fault.h"
#include "viz/views.h"

namespace tilewalk::viz {
namespace {

// As a POSIX shell takes it for one word.
std::string quoted(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:+,=%@";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

class Call {
 public:
  template <class Value>
  void flag(std::string_view name, const Value& value, bool wanted = true) {
    if (!wanted) return;
    words_.emplace_back(name);
    words_.push_back(fmt::format("{}", value));
  }
  // A switch, said where it may not be as it usually is.
  void toggle(std::string_view name, bool on, bool wanted) {
    if (wanted) words_.push_back(on ? std::string(name) : fmt::format("{}=false", name));
  }
  std::vector<std::string> words_{"view"};
};

// What the program takes when no flag says otherwise.
struct Defaults {
  DType dtype = DType::f16;
  std::string mask = "none";
  float scale = 0;
};

Defaults add_inputs(Call& call, const RunRequest& r) {
  const Problem& p = r.problem;
  Defaults defaults;
  defaults.scale = default_scale(p.d);
  if (!r.head.empty()) {
    const Head& head = head_named(r.head);
    call.flag("--head", r.head);
    call.flag("--n", p.n_q, p.n_q != head.n);
    call.flag("--n-kv", p.n_kv, p.n_kv != p.n_q);
    return {DType::f16, std::string(head.mask), head.scale};
  }
  if (!r.files[0].empty()) {
    constexpr std::string_view names[] = {"--q", "--k", "--v"};
    for (std::size_t n = 0; n < 3; ++n) call.flag(names[n], r.files[n]);
    call.flag("--dtype", name_of(p.dtype));
    defaults.dtype = p.dtype;
    return defaults;
  }
  call.flag("--n", p.n_q);
  call.flag("--n-kv", p.n_kv, p.n_kv != p.n_q);
  call.flag("--d", p.d);
  call.flag("--heads", p.heads, p.heads != 1);
  call.flag("--kv-heads", p.kv_heads, p.kv_heads != p.heads);
  call.flag("--batch", p.batch, p.batch != 1);
  call.flag("--seed", r.seed, r.seed != 0);
  if (r.arch.name == "toy") defaults.dtype = DType::f32;
  return defaults;
}

void add_machine(Call& call, const RunRequest& r) {
  const bool toy = r.arch.name == "toy", by_fit = r.tiling.block_q == 0 || r.tiling.block_kv == 0;
  if (r.tiling.mode == TilingMode::paper)
    call.flag("--tiling", "paper");
  else
    call.flag("--tiling", "fit", toy && by_fit);
  call.flag("--block-q", r.tiling.block_q, r.tiling.block_q != 0);
  call.flag("--block-kv", r.tiling.block_kv, r.tiling.block_kv != 0);
  call.flag("--order", "descending", r.tiling.order == Order::descending);
  if (!r.arch_file.empty()) return call.flag("--arch", r.arch_file);
  call.flag("--arch", r.arch.name, r.arch.name != "a100");
  const auto sram = [](const Arch& arch) { return arch.levels[std::size_t(arch.level("sram"))].capacity; };
  const Arch& listed = arch_named(r.arch.name);
  const bool changed = sram(listed) != sram(r.arch) || listed.sram_in_elements != r.arch.sram_in_elements;
  call.flag("--sram", sram(r.arch), changed);
}

void add_runs(Call& call, std::span<const RunRequest> runs) {
  const RunRequest& r = runs.front();
  if (runs.size() == 1) {
    call.words_.push_back(r.algorithm);
  } else {
    std::string names;
    for (const RunRequest& run : runs) names += (names.empty() ? "" : ",") + run.algorithm;
    call.flag("--algorithms", names);
  }
  const Defaults defaults = add_inputs(call, r);
  const Problem& p = r.problem;
  call.flag("--dtype", name_of(p.dtype), p.dtype != defaults.dtype);
  call.flag("--mask", p.mask.spec(), p.mask.spec() != defaults.mask);
  call.flag("--score-scale", p.scale, p.scale != defaults.scale);
  add_machine(call, r);
  if (r.fault) call.flag("--fault", r.fault->name);
  call.toggle("--count-only", true, r.count_only);
}

void add_picture(Call& call, const Settings& settings, const Selection& selection, bool complete) {
  const Settings usual;
  call.flag("--lang", language_codes[std::size_t(settings.language)],
            complete || settings.language != usual.language);
  call.flag("--theme", theme_names[std::size_t(settings.theme)], complete || settings.theme != usual.theme);
  call.flag("--scale", settings.scale, complete || settings.scale != usual.scale);
  call.toggle("--projector", settings.projector, complete || settings.projector);
  call.toggle("--answers", settings.answers, complete || settings.answers);
  call.flag("--step-size", step_size_names[std::size_t(settings.step)],
            complete || settings.step != usual.step);
  call.flag("--speed", settings.speed, complete || settings.speed != usual.speed);
  call.flag("--row", selection.row, selection.row >= 0);
  call.flag("--values", tile_shown_names[std::size_t(selection.tile)], selection.tile != TileShown::scores);
  call.flag("--field", selection.field + 1, selection.field != 0);
  std::string raised;
  for (const ViewId id : settings.raised)
    raised += (raised.empty() ? "" : ",") + std::string(view_of(id).name);
  // One name is enough to say that no other view was brought to the front.
  if (complete && raised.empty()) raised = view_of(ViewId{}).name;
  call.flag("--show", raised, !raised.empty());
}

}  // namespace

std::vector<std::string> view_words(const ScreenState& state, bool complete) {
  Call call;
  if (!state.lesson.empty()) {
    call.flag("--lesson", state.lesson);
    call.flag("--step", state.step);
  }
  if (!state.recorded.empty())
    call.flag("--recorded", state.recorded);
  else if (!state.runs.empty() && !state.runs_of_lesson)
    add_runs(call, state.runs);
  call.flag("--at", fmt::format("event {}", state.position), state.position != 0);
  add_picture(call, state.settings, state.selection, complete);
  return std::move(call.words_);
}

std::string shell_line(std::span<const std::string> words) {
  std::string line = "tilewalk";
  for (const std::string& word : words) line += " " + quoted(word);
  return line;
}

}  // namespace tilewalk::viz
