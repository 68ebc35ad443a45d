// HBM: its tensors, cut into blocks, as wide as they are large where that can be read; what was not written
// yet is hatched, and what is never written is said to be absent.
#include <cmath>

#include "viz/marks.h"
#include "viz/memory_parts.h"
#include "viz/numbers.h"
#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/widgets.h"
#include "viz/written.h"

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

double elements_of(const Tensor& t) { return double(t.n_rows) * double(t.n_cols) * double(size_of(t.type)); }

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
    return std::max(least, float(elements_of(plan.tensors[n]) * unit));
  };
  double low = 0, high = double(room);
  for (int step = 0; step < 60; ++step) {
    const double unit = (low + high) / 2;
    float sum = 0;
    for (const std::size_t n : shelf.tensors) sum += width(n, unit);
    (sum > room ? high : low) = unit;
  }
  const double q = std::max(1.0, elements_of(plan.tensors[std::size_t(plan.tensors.find("Q"))]));
  for (const std::size_t n : shelf.tensors) {
    const Tensor& tensor = plan.tensors[n];
    shelf.widths.push_back(std::floor(width(n, low)));
    const bool fits = elements_of(tensor) * low >= double(least) * 0.999;
    (tensor.cols == Axis::one ? shelf.enlarged : shelf.to_scale) =
        tensor.cols == Axis::one ? shelf.enlarged || !fits : shelf.to_scale && fits;
    if (elements_of(tensor) / q > shelf.largest_ratio) {
      shelf.largest_ratio = elements_of(tensor) / q;
      shelf.largest = n;
    }
  }
  return shelf;
}

// Cells of the drawing: blocks, or groups of them where they are too many.
struct Cells {
  BlockGrid blocks;
  std::int64_t across, down;  // cells
  bool strip;                 // blocks of rows stand side by side
  Box box;

  Box cell(std::int64_t x0, std::int64_t y0, std::int64_t x1, std::int64_t y1) const {
    const float w = box.width() / float(across), h = box.height() / float(down);
    return {{box.min.x + float(x0) * w, box.min.y + float(y0) * h},
            {box.min.x + float(x1) * w, box.min.y + float(y1) * h}};
  }
  // The block that speaks for a cell: its last.
  std::int64_t last_block(std::int64_t cell, std::int64_t cells, std::int64_t all) const {
    return (cell + 1) * all / cells - 1;
  }
};

Cells cells_of(const Plan& plan, const Tensor& tensor, const Box& box) {
  Cells cells{blocks_of_tensor(plan, tensor), 1, 1, tensor.cols != Axis::kv, box};
  const auto most = [](float length) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(length / 3));
  };
  const std::int64_t along = cells.strip ? cells.blocks.rows : cells.blocks.cols;
  cells.across = std::min(along, most(box.width()));
  cells.down = cells.strip ? 1 : std::min(cells.blocks.rows, most(box.height()));
  return cells;
}

// Runs of cells that are alike are drawn as one, and the gaps between blocks over them.
void draw_blocks(const Frame& frame, const RunFrame& run, std::size_t tensor, const Cells& cells) {
  const Written written(run, tensor);
  const Colour colour = tensor_colour(frame.theme, run.plan().tensors[tensor].name);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(cells.box.min, cells.box.max, mixed(frame.theme.inset, colour, 0.12f));
  const auto is_written = [&](std::int64_t x, std::int64_t y) {
    const std::int64_t along =
        cells.last_block(x, cells.across, cells.strip ? cells.blocks.rows : cells.blocks.cols);
    return cells.strip ? written.block(along, 0)
                       : written.block(cells.last_block(y, cells.down, cells.blocks.rows), along);
  };
  for (std::int64_t y = 0; y < cells.down; ++y) {
    for (std::int64_t begin = 0, x = 0; begin < cells.across; begin = x) {
      const bool now = is_written(begin, y);
      for (x = begin + 1; x < cells.across && is_written(x, y) == now; ++x) {
      }
      const Box part = cells.cell(begin, y, x, y + 1);
      if (now)
        list->AddRectFilled(part.min, part.max, mixed(frame.theme.inset, colour, 0.72f));
      else if (part.height() >= 3)
        hatch(part, mixed(frame.theme.inset, colour, 0.5f), std::max(4.0f, frame.px(6)));
    }
  }
  const Colour gap = frame.theme.inset;
  for (std::int64_t x = 1; x < cells.across; ++x) {
    const Box at = cells.cell(x, 0, x, 1);
    list->AddLine({std::floor(at.min.x) + 0.5f, cells.box.min.y},
                  {std::floor(at.min.x) + 0.5f, cells.box.max.y}, gap);
  }
  for (std::int64_t y = 1; y < cells.down; ++y) {
    const Box at = cells.cell(0, y, 1, y);
    list->AddLine({cells.box.min.x, std::floor(at.min.y) + 0.5f},
                  {cells.box.max.x, std::floor(at.min.y) + 0.5f}, gap);
  }
  list->AddRect(cells.box.min, cells.box.max, mixed(frame.theme.inset, colour, 0.72f));
}

// Where the elements lie in the drawing.
Box place_of(const Tensor& tensor, const Cells& cells, const Rect& rect) {
  const auto at = [](std::int64_t element, std::int64_t all) {
    return float(double(element) / double(std::max<std::int64_t>(1, all)));
  };
  const Box& box = cells.box;
  const float x0 = cells.strip ? at(rect.row, tensor.n_rows) : at(rect.col, tensor.n_cols);
  const float x1 =
      cells.strip ? at(rect.row + rect.rows, tensor.n_rows) : at(rect.col + rect.cols, tensor.n_cols);
  const float y0 = cells.strip ? 0 : at(rect.row, tensor.n_rows),
              y1 = cells.strip ? 1 : at(rect.row + rect.rows, tensor.n_rows);
  Box place{{box.min.x + x0 * box.width(), box.min.y + y0 * box.height()},
            {box.min.x + x1 * box.width(), box.min.y + y1 * box.height()}};
  if (place.width() < 4) place = place.inset((place.width() - 4) / 2, 0);  // never too thin to be seen
  if (place.height() < 4) place = place.inset(0, (place.height() - 4) / 2);
  return place;
}

// The block of the current load or store; else the one that a tile on the chip holds.
std::optional<Rect> at_work(const RunFrame& run, std::size_t tensor) {
  const Kernel& kernel = run.plan().kernels[run.moment.location.launch];
  const Tensor& row = run.plan().tensors[tensor];
  const auto& done = run.moment.done;
  if (done && (done->op == Op::load || done->op == Op::store) && done->tensor == tensor) {
    const auto start = [&](Axis axis) {
      return kernel.start(axis, std::max(0, axis == Axis::q ? done->row : done->col));
    };
    return Rect{start(row.rows), start(row.cols), done->rows, done->cols};
  }
  for (std::size_t n = 0; n < run.moment.state.tiles.size(); ++n) {
    if (kernel.tiles[n].tensor == int(tensor) && run.moment.state.tiles[n].written)
      return held_by(run, static_cast<TileHandle>(n));
  }
  return std::nullopt;
}

void draw_tensor(const Frame& frame, const RunFrame& run, std::size_t n, Box box, MemoryPlaces& places) {
  const Tensor& tensor = run.plan().tensors[n];
  const Box label = box.cut_bottom(std::round(frame.px(16)));
  const Cells cells = cells_of(run.plan(), tensor, box);
  draw_blocks(frame, run, n, cells);
  places.tensors[n] = box;
  if (const auto rect = at_work(run, n)) {
    places.tensors[n] = place_of(tensor, cells, *rect);
    const Box mark = places.tensors[n].inset(-frame.px(1));
    ImGui::GetWindowDrawList()->AddRect(mark.min, mark.max, frame.theme.strong, frame.px(2), 0,
                                        std::max(1.5f, frame.px(2)));
  }
  const std::string letter = letter_of(tensor.name),
                    shape = fmt::format("{}\u00A0{}×{}", letter, tensor.n_rows, tensor.n_cols);
  draw_text(frame, label.inset(-frame.px(3), 0),
            first_that_fits({shape, letter}, label.width() + frame.px(6), frame.fonts.small),
            tensor_colour(frame.theme, tensor.name), frame.fonts.small, Align::centre);
  if (!hovered(box)) return;
  std::string hint = frame.filled(Str::tensor_is, letter, tensor.n_rows, tensor.n_cols, name_of(tensor.type),
                                  grouped(static_cast<std::uint64_t>(elements_of(tensor))), cells.blocks.rows,
                                  cells.blocks.cols);
  if (!tensor.counted) hint += "\n" + std::string(frame.text(Str::tensor_not_counted));
  tooltip(frame, hint);
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
  const Box text = box.inset(std::round(frame.px(8)), std::round(frame.px(4)));
  const float step = std::ceil(line_height(frame.fonts.small) * 1.2f);
  const std::string both = words + "\n" + size;
  const auto lines = [&](const std::string& t) {
    return float(wrapped(t, text.width(), frame.fonts.small).size()) * step;
  };
  const std::string& shown = lines(both) <= text.height() + 2 ? both : words;
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
