// A tensor in HBM: its blocks, those written and those not, and the one at work.
#include <cmath>

#include "viz/marks.h"
#include "viz/memory_parts.h"
#include "viz/sentence.h"
#include "viz/text.h"
#include "viz/widgets.h"
#include "viz/written.h"

namespace tilewalk::viz {
namespace {

// Cells of the drawing: blocks, or groups of them where they are too many.
struct Cells {
  BlockGrid blocks;
  std::int64_t across, down;  // cells
  bool strip;                 // blocks of rows stand side by side
  Box box;

  float part_across, part_down;  // of the width and height that one block takes: the last may be smaller

  Box cell(std::int64_t x0, std::int64_t y0, std::int64_t x1, std::int64_t y1) const {
    const auto x = [&](std::int64_t at) {
      return box.min.x + box.width() * border(at, across, strip ? blocks.rows : blocks.cols, part_across);
    };
    const auto y = [&](std::int64_t at) {
      return box.min.y + box.height() * border(at, down, strip ? 1 : blocks.rows, part_down);
    };
    return {{x(x0), y(y0)}, {x(x1), y(y1)}};
  }
  static float border(std::int64_t cell, std::int64_t cells, std::int64_t all, float part) {
    return std::min(1.0f, float(cell * all / cells) * part);
  }
  // The block that speaks for a cell: its last.
  std::int64_t last_block(std::int64_t cell, std::int64_t cells, std::int64_t all) const {
    return (cell + 1) * all / cells - 1;
  }
};

Cells cells_of(const Plan& plan, const Tensor& tensor, const Box& box) {
  Cells cells{blocks_of_tensor(plan, tensor), 1, 1, tensor.cols != Axis::kv, box, 1, 1};
  const auto most = [](float length) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(length / 3));
  };
  const std::int64_t along = cells.strip ? cells.blocks.rows : cells.blocks.cols;
  cells.across = std::min(along, most(box.width()));
  cells.down = cells.strip ? 1 : std::min(cells.blocks.rows, most(box.height()));
  const Tiling& tiling = plan.config.tiling;
  const auto part = [&](Axis axis, std::int64_t elements) {
    const std::int64_t block = axis == Axis::q    ? tiling.block_q
                               : axis == Axis::kv ? tiling.block_kv
                                                  : elements;
    return elements > 0 ? float(double(block) / double(elements)) : 1;
  };
  cells.part_across = cells.strip ? part(tensor.rows, tensor.n_rows) : part(tensor.cols, tensor.n_cols);
  cells.part_down = cells.strip ? 1 : part(tensor.rows, tensor.n_rows);
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

}  // namespace

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
  std::string hint =
      frame.filled(Str::tensor_is, letter, tensor.n_rows, tensor.n_cols, name_of(tensor.type),
                   grouped(static_cast<std::uint64_t>(double(tensor.n_rows) * double(tensor.n_cols) *
                                                      double(size_of(tensor.type)))),
                   cells.blocks.rows, cells.blocks.cols);
  if (!tensor.counted) hint += "\n" + std::string(frame.text(Str::tensor_not_counted));
  tooltip(frame, hint);
}

}  // namespace tilewalk::viz
