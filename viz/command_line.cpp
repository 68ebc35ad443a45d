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
    if (wanted) text_ += fmt::format(" {} {}", name, quoted(fmt::format("{}", value)));
  }
  void flag(std::string_view name, bool wanted) {
    if (wanted) text_ += fmt::format(" {}", name);
  }
  std::string text_ = "tilewalk view";
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

void add_picture(Call& call, const Settings& settings, const Selection& selection) {
  call.flag("--lang", "zh", settings.language == Language::zh);
  call.flag("--theme", theme_names[std::size_t(settings.theme)], settings.theme != ThemeName::dark);
  call.flag("--scale", settings.scale, settings.scale != 1);
  call.flag("--projector", settings.projector);
  call.flag("--row", selection.row, selection.row >= 0);
  std::string raised;
  for (const ViewId id : settings.raised)
    raised += (raised.empty() ? "" : ",") + std::string(view_of(id).name);
  call.flag("--show", raised, !raised.empty());
}

}  // namespace

std::string command_line(std::span<const RunRequest> runs, std::uint64_t position, const Settings& settings,
                         const Selection& selection) {
  Call call;
  if (runs.empty()) return call.text_;
  const RunRequest& r = runs.front();
  if (runs.size() == 1) {
    call.text_ += " " + r.algorithm;
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
  call.flag("--count-only", r.count_only);
  call.flag("--at", fmt::format("event {}", position), position != 0);
  add_picture(call, settings, selection);
  return call.text_;
}

}  // namespace tilewalk::viz
