// HBM: its tensors, cut into blocks, as wide as they are large where that can be read; what was not written
// yet is hatched, and what is never written is said to be absent.
#include <cmath>

#include "viz/marks.h"
#include "viz/memory_parts.h"
#include "viz/numbers.h"
#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

struct Shelf {
  std::vector<std::size_t> tensors;
  std::vector<float> widths;
  bool to_scale = true;      // of the matrices
  bool enlarged = false;     // columns are wider than their scale
  double largest_ratio = 1;  // of a matrix to Q
  std::size_t largest = 0;
};

double bytes_each(const Tensor& t) { return double(t.n_rows) * double(t.n_cols) * double(size_of(t.type)); }

// Widths by size, but none below the least: water level `unit` is found by halving.
Shelf shelf_of(const Frame& frame, const RunFrame& run, float room, float gap) {
  const Plan& plan = run.plan();
  const int hbm = plan.config.arch.level("hbm");
  Shelf shelf;
  for (std::size_t n = 0; n < plan.tensors.size(); ++n) {
    if (plan.tensors[n].level == hbm) shelf.tensors.push_back(n);
  }
  const auto count = float(shelf.tensors.size());
  room -= gap * (count - 1);
  const float least = std::min(frame.px(22), room / count);
  const auto width = [&](std::size_t n, double unit) {
    return std::max(least, float(bytes_each(plan.tensors[n]) * unit));
  };
  double low = 0, high = double(room);
  for (int step = 0; step < 60; ++step) {
    const double unit = (low + high) / 2;
    float sum = 0;
    for (const std::size_t n : shelf.tensors) sum += width(n, unit);
    (sum > room ? high : low) = unit;
  }
  const double q = std::max(1.0, bytes_each(plan.tensors[std::size_t(plan.tensors.find("Q"))]));
  for (const std::size_t n : shelf.tensors) {
    const Tensor& tensor = plan.tensors[n];
    shelf.widths.push_back(std::floor(width(n, low)));
    const bool fits = bytes_each(tensor) * low >= double(least) * 0.999;
    (tensor.cols == Axis::one ? shelf.enlarged : shelf.to_scale) =
        tensor.cols == Axis::one ? shelf.enlarged || !fits : shelf.to_scale && fits;
    if (bytes_each(tensor) / q > shelf.largest_ratio) {
      shelf.largest_ratio = bytes_each(tensor) / q;
      shelf.largest = n;
    }
  }
  return shelf;
}

// Whether scores ever reach HBM in this run.
bool keeps_scores(const Plan& plan) {
  const int hbm = plan.config.arch.level("hbm");
  for (const Tensor& t : plan.tensors) {
    if (t.rows == Axis::q && t.cols == Axis::kv && t.level == hbm) return true;
  }
  return false;
}

// What a fused run never writes: an empty frame, and the words.
void draw_absent(const Frame& frame, const RunFrame& run, const Box& box) {
  const Colour colour = tensor_colour(frame.theme, "P");
  dashed_frame(box, mixed(frame.theme.inset, colour, 0.7f), frame.px(4));
  const Problem& p = run.plan().problem();
  const char* which = run.plan().algorithm().softmax ? "S, P" : "S";
  const auto bytes = static_cast<std::uint64_t>(p.n_q * p.n_kv) * size_of(p.dtype);
  const std::string words = frame.filled(Str::never_in_hbm, which),
                    size = frame.filled(Str::would_take, amount(bytes));
  const Box text = box.inset(std::round(frame.px(8)), std::round(frame.px(2)));
  const float step = std::ceil(line_height(frame.fonts.small) * 1.2f);
  const std::string both = words + "\n" + size;
  const auto lines = [&](const std::string& t) {
    return float(wrapped(t, text.width(), frame.fonts.small).size()) * step;
  };
  const std::string brief = frame.filled(Str::never_in_hbm_short, which);
  const std::string& shown = lines(both) <= text.height() + 2    ? both
                             : lines(words) <= text.height() + 2 ? words
                                                                 : brief;
  const float spare = std::max(0.0f, (text.height() - lines(shown)) / 2);
  draw_wrapped(text.moved(0, spare), shown, colour, frame.fonts.small);
  if (hovered(box)) tooltip(frame, words + "\n" + size);
}

std::string scale_words(const Frame& frame, const RunFrame& run, const Shelf& shelf) {
  if (!shelf.to_scale)
    return frame.filled(Str::not_to_scale, letter_of(run.plan().tensors[shelf.largest].name),
                        fmt::format("{:.3g}", shelf.largest_ratio));
  if (!shelf.enlarged) return std::string(frame.text(Str::to_scale));
  std::string columns;
  for (const std::size_t n : shelf.tensors) {
    if (run.plan().tensors[n].cols == Axis::one)
      columns += (columns.empty() ? "" : ", ") + letter_of(run.plan().tensors[n].name);
  }
  return frame.filled(Str::to_scale_but, columns);
}

void draw_header(const Frame& frame, const RunFrame& run, const Shelf& shelf, Box box) {
  const Plan& plan = run.plan();
  const Level& level = plan.config.arch.levels[std::size_t(plan.config.arch.level("hbm"))];
  draw_text(frame, box.cut_left(std::ceil(text_width("HBM", frame.fonts.small)) + frame.px(10)), "HBM",
            frame.theme.strong, frame.fonts.small);
  std::uint64_t bytes = 0;
  for (const std::size_t n : shelf.tensors) bytes += plan.tensors[n].bytes(plan.problem());
  const std::string alone = amount(bytes), whole = frame.filled(Str::part_of, alone, amount(level.capacity)),
                    scale = scale_words(frame, run, shelf);
  const std::string_view words = first_that_fits({whole, alone, ""}, box.width(), frame.fonts.mono_small);
  draw_text(frame, box.cut_right(std::ceil(text_width(words, frame.fonts.mono_small)) + 1), words,
            frame.theme.text, frame.fonts.mono_small, Align::right);
  box.cut_right(frame.px(10));
  if (text_width(scale, frame.fonts.small) <= box.width())
    draw_text(frame, box, scale, frame.theme.muted, frame.fonts.small);
}

}  // namespace

void draw_hbm(const Frame& frame, const RunFrame& run, const Box& box, MemoryPlaces& places) {
  Box inside = draw_level_frame(frame, box);
  const Box header =
      inside.cut_bottom(std::round(frame.px(17)));  // below, so that arrows from above cross no text
  inside.cut_top(std::round(frame.px(3)));
  const bool absent = !keeps_scores(run.plan());
  if (absent && inside.width() >= frame.px(420)) {
    draw_absent(frame, run, inside.cut_right(std::round(std::min(frame.px(184), inside.width() * 0.28f))));
    inside.cut_right(std::round(frame.px(16)));
  } else if (absent) {
    const char* which = run.plan().algorithm().softmax ? "S, P" : "S";
    const std::string words = frame.filled(Str::never_in_hbm, which),
                      brief = frame.filled(Str::never_in_hbm_short, which);
    draw_text(frame, inside.cut_bottom(std::round(frame.px(16))),
              first_that_fits({words, brief}, inside.width(), frame.fonts.small),
              tensor_colour(frame.theme, "P"), frame.fonts.small);
  }
  const float gap = std::round(frame.px(inside.width() > frame.px(300) ? 16 : 8));
  const Shelf shelf = shelf_of(frame, run, inside.width(), gap);
  draw_header(frame, run, shelf, header);
  for (std::size_t n = 0; n < shelf.tensors.size(); ++n) {
    draw_tensor(frame, run, shelf.tensors[n], inside.cut_left(shelf.widths[n]), places);
    inside.cut_left(gap);
  }
}

}  // namespace tilewalk::viz
