#include "viz/merge_sizes.h"

#include <cmath>

#include "viz/formula.h"
#include "viz/text.h"

namespace tilewalk::viz {

float column_width(const Frame& frame, float width) {
  return std::floor(std::clamp(width * 0.13f, frame.px(56), frame.px(86)));
}

bool has_strips(const RowMerge& merge) {
  return !merge.o.empty() || !merge.o_new.empty() || !merge.s.empty();
}

float notes_height(const Frame& frame, const std::vector<Note>& notes, float width, bool all) {
  float height = 0;
  for (const Note& note : notes) {
    if (!all && !note.bad) continue;
    const auto lines = float(wrapped(note.text, width, frame.fonts.body).size());
    height += lines * std::ceil(line_height(frame.fonts.body) * 1.2f) + frame.px(4);
  }
  return height;
}

Content content_of(const Frame& frame, const RunFrame& run) {
  const RowMerge merge = row_merge(frame, run);
  return {merge, merge_lines(run, merge), merge_notes(frame, run, merge)};
}

namespace {

Heights sized(const Frame& frame, const Content& content, float width, bool tight, Filled filled,
              bool all_notes) {
  Heights h{};
  const auto count = float(content.lines.size());
  h.filled = filled;
  h.heading = std::round(frame.px(tight ? 22 : 24)) + (count > 0 ? std::round(frame.px(tight ? 17 : 22)) : 0);
  h.step = std::round(frame.px(tight ? 21 : 25));
  h.below = filled == Filled::below ? std::round(frame.px(18)) : 0;
  h.strips = has_strips(content.merge) ? std::round(frame.px(tight ? 38 : 48)) : 0;
  h.notes = notes_height(frame, content.notes, width, all_notes);
  h.lines = (h.step + h.below) * count;
  h.total = h.heading + h.lines + h.strips + h.notes;
  return h;
}

}  // namespace

// Numbers beside the formulas where there is room, else below them where nothing has to scroll for it. Where
// even that is too much, lines close up and what is no warning is left unsaid.
Heights heights_of(const Frame& frame, const Content& content, float width, float room) {
  float formula = 0, filled = 0;
  for (const MergeLine& line : content.lines) {
    if (line.filled.empty()) continue;
    formula = std::max(formula, formula_width(frame, line.formula, frame.fonts.body));
    filled = std::max(filled, formula_width(frame, line.filled, frame.fonts.mono_small));
  }
  const float beside = width - 3 * column_width(frame, width) - frame.px(15);
  Heights h = sized(frame, content, width, false, Filled::beside, true);
  h.formula = formula;
  if (formula + frame.px(14) + filled > beside) h = sized(frame, content, width, false, Filled::below, true);
  if (h.total > room && h.filled == Filled::below)
    h = sized(frame, content, width, false, Filled::nowhere, true);
  if (h.total > room) {
    h = sized(frame, content, width, true, h.filled, true);
    if (h.total > room) h = sized(frame, content, width, true, h.filled, false);
    h.formula = formula;
  }
  return h;
}

}  // namespace tilewalk::viz
