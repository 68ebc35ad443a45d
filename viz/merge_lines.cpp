#include "viz/merge_lines.h"

#include <fmt/format.h>

#include "sim/softmax.h"
#include "viz/numbers.h"

namespace tilewalk::viz {
namespace {

using Lines = std::vector<MergeLine>;

std::string in_colour(const char* quantity, const Value& value) {
  return fmt::format("[{}:{}]", quantity, value ? number(*value) : "…");
}

// Negative numbers stand in brackets after a sign.
std::string subtracted(const char* quantity, const Value& value) {
  return value && *value < 0 ? "(" + in_colour(quantity, value) + ")" : in_colour(quantity, value);
}

std::string power(const char* from, const Value& a, const Value& b) {
  return "e^{" + in_colour(from, a) + " − " + subtracted("m", b) + "}";
}

MergeLine new_maximum(const RowMerge& r) {
  MergeLine line{"m", "m′ = max(m, m^{(t)})", "", r.m, r.m_tile, r.m_new};
  if (r.m_new) line.filled = "max(" + in_colour("m", r.m) + ", " + in_colour("P", r.m_tile) + ")";
  line.wrong = r.wrong_m;
  return line;
}

MergeLine shrink(const RowMerge& r) {
  MergeLine line{"alpha", "α = e^{m − m′}", "", {}, {}, r.alpha};
  if (r.m_new) line.filled = power("m", r.m, r.m_new);
  return line;
}

void online_lines(const RowMerge& r, Lines& lines) {
  lines.push_back(new_maximum(r));
  lines.push_back(shrink(r));
  MergeLine l{"l", "ℓ′ = α ℓ + Σ e^{S − m′}", "", r.l, r.l_tile, r.l_new};
  if (r.m_new)
    l.filled = in_colour("l", r.alpha) + " · " + in_colour("l", r.l) + " + " + in_colour("P", r.l_tile);
  l.wrong = r.wrong_l;
  lines.push_back(std::move(l));
  lines.push_back(
      {"O", "O′ = α O + P V", r.alpha ? in_colour("l", r.alpha) + " · O + P V" : "", {}, {}, {}, false});
}

void block_lines(const RowMerge& r, Lines& lines) {
  lines.push_back(new_maximum(r));
  lines.push_back(shrink(r));
  lines.push_back(
      {"beta", "β = e^{m⁽ᵗ⁾ − m′}", r.m_new ? power("P", r.m_tile, r.m_new) : "", {}, {}, r.beta});
  MergeLine l{"l", "ℓ′ = α ℓ + β ℓ^{(t)}", "", r.l, r.l_tile, r.l_new};
  if (r.m_new)
    l.filled = in_colour("l", r.alpha) + " · " + in_colour("l", r.l) + " + " + in_colour("l", r.beta) +
               " · " + in_colour("P", r.l_tile);
  l.wrong = r.wrong_l;
  lines.push_back(std::move(l));
  lines.push_back({"O", "O′ = (α ℓ O + β P V) / ℓ′", "", {}, {}, {}, false});
}

void whole_row_lines(const RowMerge& r, Lines& lines) {
  const bool known = r.kind == MergeKind::known;
  lines.push_back({"m", known ? "m" : "m = max_{j} S", "", known ? r.m : Value(), r.m_tile, r.m_new});
  lines.push_back({"l", known ? "ℓ" : "ℓ = Σ e^{S − m}", "", known ? r.l : Value(), {}, r.l_new});
  lines.push_back({"P", "P = e^{S − m} / ℓ", "", {}, {}, {}, false});
}

// What is there, without a step from one to the other.
void plain_lines(const RowMerge& r, Lines& lines) {
  const auto add = [&](const char* quantity, const char* formula, std::string filled, const Value& value) {
    if (value) lines.push_back({quantity, formula, std::move(filled), {}, {}, value});
  };
  add("m", "m", "", r.m);
  add("l", "ℓ", "", r.l);
  add("l", "L = m + ln ℓ", r.m && r.l ? in_colour("m", r.m) + " + ln " + in_colour("l", r.l) : "", r.lse);
}

bool first_operand_is(const RunFrame& run, const Event& e, std::string_view tile) {
  return e.operand[0] != no_tile && kernel_of(run).tiles[e.operand[0]].name == tile;
}

// The line that the step just done is about.
bool is_now(const RunFrame& run, const MergeLine& line) {
  const auto& e = run.moment.done;
  if (!e || run.moment.story.empty()) return false;
  if (e->op == Op::online_softmax || e->op == Op::merge) return line.quantity != "O" && line.quantity != "P";
  if (e->op == Op::block_softmax) return line.quantity == "m";
  if (e->op == Op::softmax) return line.quantity == "P";
  const bool output = e->op == Op::rescale || e->op == Op::gemm || e->op == Op::normalize;
  return output && first_operand_is(run, *e, "o") && line.quantity == "O";
}

}  // namespace

std::vector<MergeLine> merge_lines(const RunFrame& run, const RowMerge& r) {
  Lines lines;
  const bool softmax = run.plan().algorithm().softmax;
  switch (r.kind) {
    case MergeKind::off: break;
    case MergeKind::online: online_lines(r, lines); break;
    case MergeKind::blocks: block_lines(r, lines); break;
    case MergeKind::whole:
    case MergeKind::known: whole_row_lines(r, lines); break;
    case MergeKind::sum:
      lines.push_back({"O", softmax ? "O′ = O + P V" : "O′ = O + S V", "", {}, {}, {}, false});
      break;
    case MergeKind::scores: lines.push_back({"S", "S = scale · Q K^{T}", "", {}, {}, {}, false}); break;
    case MergeKind::finish:
      plain_lines(r, lines);
      lines.push_back({"O", "O = O / ℓ", "", {}, {}, {}, false});
      break;
    case MergeKind::start:
    case MergeKind::elsewhere: plain_lines(r, lines); break;
  }
  for (MergeLine& line : lines) line.now = is_now(run, line);
  return lines;
}

std::vector<Note> merge_notes(const Frame& frame, const RunFrame& run, const RowMerge& r) {
  std::vector<Note> notes;
  const auto say = [&](Str id) { notes.push_back({std::string(frame.text(id))}); };
  const Rect rect = current_rect(run);
  if (r.kind == MergeKind::off) say(Str::values_off);
  if (r.kind == MergeKind::start) say(Str::note_start);
  if (r.kind == MergeKind::elsewhere && run.moment.next)
    notes.push_back({frame.filled(Str::note_elsewhere, r.row, rect.row, rect.row + rect.rows - 1)});
  if (!r.fault.empty()) notes.push_back({frame.filled(Str::note_fault, r.fault), true});
  if (r.sees_nothing) {
    say(Str::note_sees_nothing);
  } else if (r.m && r.m_tile && r.m_new && r.alpha && r.fault.empty()) {
    if (*r.m == -infinity)
      say(Str::note_first_keys);
    else if (*r.m_tile == -infinity)
      say(Str::note_hidden);
    else if (*r.m_new > *r.m)
      notes.push_back({frame.filled(Str::note_larger, number(*r.alpha))});
    else
      say(Str::note_same);
  }
  return notes;
}

std::string merge_title(const Frame& frame, const RunFrame& run, const RowMerge& r) {
  const auto& tile = run.moment.tile;
  switch (r.kind) {
    case MergeKind::off: return "";
    case MergeKind::elsewhere: return std::string(frame.text(Str::title_stored));
    case MergeKind::start: return std::string(frame.text(Str::title_start));
    case MergeKind::finish: return std::string(frame.text(Str::title_finish));
    default: break;
  }
  return tile ? frame.filled(Str::title_merge, tile->row, tile->col) : "";
}

}  // namespace tilewalk::viz
