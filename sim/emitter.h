// What schedules are written in: the verbs of a CTA. Every verb becomes one Event, handed on at once.
#pragma once

#include <array>
#include <initializer_list>
#include <type_traits>

#include "sim/event.h"
#include "sim/plan.h"

namespace tilewalk {

// The consumer of events: any callable taking (const Event&), which must outlive the sink.
class Sink {
 public:
  template <class F>
  requires(!std::is_same_v<F, Sink>)  // else copying a Sink would wrap it
      explicit Sink(F& take)
      : self_(&take), take_([](void* self, const Event& event) { (*static_cast<F*>(self))(event); }) {}
  void operator()(const Event& event) const { take_(self_, event); }

 private:
  void* self_;
  void (*take_)(void*, const Event&);
};

// Block numbers 0 .. count-1 in the order of the walk.
class BlockRange {
 public:
  struct Iterator {
    int at, step;
    int operator*() const { return at; }
    Iterator& operator++() { return at += step, *this; }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  BlockRange(int count, Order order) : count_(count), descending_(order == Order::descending) {}
  Iterator begin() const { return descending_ ? Iterator{count_ - 1, -1} : Iterator{0, 1}; }
  Iterator end() const { return descending_ ? Iterator{-1, -1} : Iterator{count_, 1}; }
  int front() const { return *begin(); }

 private:
  int count_;
  bool descending_;
};

// The part of the problem that one CTA works on.
class Cta {
 public:
  Cta(const Plan& plan, const Kernel& kernel, std::int64_t index)
      : block(static_cast<int>(index % kernel.blocks)),
        plan_(plan),
        kernel_(kernel),
        masked_(!plan.problem().mask.is_none()),
        empty_(plan.problem().n_q == 0 || plan.problem().n_kv == 0) {}

  const int block;  // of the grid: the query block in a per_q_block grid, 0 in a per_head one

  BlockRange q_blocks() const { return {static_cast<int>(kernel_.q_blocks), Order::ascending}; }
  BlockRange kv_blocks() const { return {static_cast<int>(kernel_.kv_blocks), kernel_.tiling.order}; }

  // The mask hides all of tile (i, j) / some, but not all, of it.
  bool skips(int i, int j) const {
    return masked_ ? plan_.problem().mask.skips(rect(i, j), plan_.problem().shift()) : empty_;
  }
  bool crosses(int i, int j) const {
    return masked_ && !plan_.problem().mask.fills(rect(i, j), plan_.problem().shift());
  }

 private:
  Rect rect(int i, int j) const { return kernel_.rect(i, j, plan_.problem()); }

  const Plan& plan_;
  const Kernel& kernel_;
  bool masked_, empty_;
};

constexpr int none = -1;  // outside the loop over that axis

struct TileRef {
  TileHandle handle = no_tile;
  bool transposed = false;
  TileRef T() const { return {handle, !transposed}; }
};

struct TensorTile {
  std::uint8_t tensor;
  int row, col;  // none: as the emitter's current tile
};

class TensorRef {
 public:
  TensorRef(std::uint8_t tensor, Axis rows) : tensor_(tensor), rows_(rows) {}
  // Block n of the rows; tile (i, j) of S or P.
  TensorTile operator[](int n) const {
    return rows_ == Axis::kv ? TensorTile{tensor_, none, n} : TensorTile{tensor_, n, none};
  }
  TensorTile operator()(int i, int j) const { return {tensor_, i, j}; }

 private:
  std::uint8_t tensor_;
  Axis rows_;
};

enum class FillWith : std::uint8_t { zero, minus_infinity };
enum class Gemm : std::uint8_t { plain, scaled };
enum class Hidden : std::uint8_t { minus_infinity, zero };

class Emitter {
 public:
  Emitter(const Plan& plan, std::size_t launch, std::int64_t cta, Sink sink);

  TensorRef tensor(std::string_view name) const;
  void at(int i, int j = none);  // the tile of the score matrix that the next verbs work on

  TileRef alloc(std::string_view tile, int line = __builtin_LINE());
  void free(std::initializer_list<TileRef> tiles, int line = __builtin_LINE());
  void fill(TileRef tile, FillWith value, int line = __builtin_LINE());
  void load(TileRef tile, TensorTile from, int line = __builtin_LINE());
  void store(TensorTile to, TileRef tile, int line = __builtin_LINE());
  // dst = a b; `scaled` multiplies by the problem's scale.
  void gemm(TileRef dst, TileRef a, TileRef b, Gemm kind = Gemm::plain, int line = __builtin_LINE());
  // dst += a b, or dst += diag(row_scale) a b.
  void gemm_add(TileRef dst, TileRef a, TileRef b, TileRef row_scale = {}, int line = __builtin_LINE());
  void mask(TileRef s, Hidden value = Hidden::minus_infinity, int line = __builtin_LINE());
  void softmax(TileRef p, TileRef s, TileRef m = {}, TileRef l = {}, int line = __builtin_LINE());
  void block_softmax(TileRef s, TileRef m_tile, TileRef l_tile, int line = __builtin_LINE());
  void online_softmax(TileRef s, TileRef m, TileRef l, TileRef alpha, int line = __builtin_LINE());
  void merge(TileRef m, TileRef l, TileRef m_tile, TileRef l_tile, TileRef alpha, TileRef beta,
             int line = __builtin_LINE());
  void rescale(TileRef x, TileRef factor, int line = __builtin_LINE());
  void normalize(TileRef o, TileRef l, TileRef m = {}, TileRef lse = {}, int line = __builtin_LINE());

 private:
  Event event(Op op, int line, std::initializer_list<TileRef> operands) const;
  Event tile_event(Op op, int line, std::initializer_list<TileRef> operands) const;
  void emit_gemm(Event& event, TileRef a, TileRef b) const;
  Event move_event(Op op, TileRef tile, TensorTile place, int line) const;
  std::int32_t extent(Axis axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  std::int32_t extent_at(Axis axis, int row, int col) const;
  void emit(const Event& event) const;
  void emit_broken(Event event) const;

  const Plan& plan_;
  const Kernel& kernel_;
  const Tile* tiles_;
  bool broken_;                            // the run has a fault
  Event base_;                             // launch, CTA and current tile filled in
  std::array<std::int32_t, 4> extents_{};  // of the current tile, by Axis
  Sink sink_;
};

// Runs the schedule of one CTA.
void run_cta(const Plan& plan, std::size_t launch, std::int64_t cta, Sink sink);

// The verbs of inner loops are inline: counting a long run takes little more than emitting it.

inline void Emitter::at(int i, int j) {
  base_.row = i;
  base_.col = j;
  const Problem& p = plan_.problem();
  const auto rows = i == none ? 0 : kernel_.extent(Axis::q, i, p),
             cols = j == none ? 0 : kernel_.extent(Axis::kv, j, p);
  extents_ = {1, static_cast<std::int32_t>(p.d), static_cast<std::int32_t>(rows),
              static_cast<std::int32_t>(cols)};
}

inline Event Emitter::event(Op op, int line, std::initializer_list<TileRef> operands) const {
  Event e = base_;
  e.op = op;
  e.line = static_cast<std::uint16_t>(line);
  int n = 0;
  for (const TileRef tile : operands) e.operand[n++] = tile.handle;
  return e;
}

// An event whose extent is that of its first operand at the current tile.
inline Event Emitter::tile_event(Op op, int line, std::initializer_list<TileRef> operands) const {
  Event e = event(op, line, operands);
  const Tile& tile = tiles_[e.operand[0]];
  e.rows = extent(tile.rows);
  e.cols = extent(tile.cols);
  return e;
}

inline std::int32_t Emitter::extent_at(Axis axis, int row, int col) const {
  const int at = axis == Axis::q ? row : col, now = axis == Axis::q ? base_.row : base_.col;
  if (at == now || axis == Axis::one || axis == Axis::d) return extent(axis);
  return static_cast<std::int32_t>(kernel_.extent(axis, at, plan_.problem()));
}

inline Event Emitter::move_event(Op op, TileRef tile, TensorTile place, int line) const {
  Event e = event(op, line, {tile});
  const Tensor& tensor = plan_.tensors[place.tensor];
  e.tensor = place.tensor;
  if (place.row != none) e.row = place.row;
  if (place.col != none) e.col = place.col;
  e.rows = extent_at(tensor.rows, e.row, e.col);
  e.cols = extent_at(tensor.cols, e.row, e.col);
  const auto home = static_cast<std::uint8_t>(tensor.level),
             here = static_cast<std::uint8_t>(tiles_[tile.handle].level);
  e.from = op == Op::load ? home : here;
  e.to = op == Op::load ? here : home;
  return e;
}

inline void Emitter::emit(const Event& e) const {
  if (broken_) return emit_broken(e);
  sink_(e);
}

inline void Emitter::load(TileRef tile, TensorTile from, int line) {
  emit(move_event(Op::load, tile, from, line));
}
inline void Emitter::store(TensorTile to, TileRef tile, int line) {
  emit(move_event(Op::store, tile, to, line));
}

inline void Emitter::emit_gemm(Event& e, TileRef a, TileRef b) const {
  const Tile& left = tiles_[a.handle];
  e.depth = extent(a.transposed ? left.rows : left.cols);
  e.flags = static_cast<std::uint8_t>(e.flags | (a.transposed ? flag::transpose_a : 0) |
                                      (b.transposed ? flag::transpose_b : 0));
  emit(e);
}

inline void Emitter::gemm(TileRef dst, TileRef a, TileRef b, Gemm kind, int line) {
  Event e = tile_event(Op::gemm, line, {dst, a, b});
  if (kind == Gemm::scaled) e.flags = flag::scaled;
  emit_gemm(e, a, b);
}

inline void Emitter::gemm_add(TileRef dst, TileRef a, TileRef b, TileRef row_scale, int line) {
  Event e = tile_event(Op::gemm, line, {dst, a, b, row_scale});
  e.flags = flag::accumulate;
  emit_gemm(e, a, b);
}

inline void Emitter::mask(TileRef s, Hidden value, int line) {
  Event e = tile_event(Op::mask, line, {s});
  if (value == Hidden::zero) e.flags = flag::to_zero;
  emit(e);
}

inline void Emitter::softmax(TileRef p, TileRef s, TileRef m, TileRef l, int line) {
  emit(tile_event(Op::softmax, line, {p, s, m, l}));
}
inline void Emitter::block_softmax(TileRef s, TileRef m_tile, TileRef l_tile, int line) {
  emit(tile_event(Op::block_softmax, line, {s, m_tile, l_tile}));
}
inline void Emitter::online_softmax(TileRef s, TileRef m, TileRef l, TileRef alpha, int line) {
  emit(tile_event(Op::online_softmax, line, {s, m, l, alpha}));
}
inline void Emitter::merge(TileRef m, TileRef l, TileRef m_tile, TileRef l_tile, TileRef alpha, TileRef beta,
                           int line) {
  emit(tile_event(Op::merge, line, {m, l, m_tile, l_tile, alpha, beta}));
}
inline void Emitter::rescale(TileRef x, TileRef factor, int line) {
  emit(tile_event(Op::rescale, line, {x, factor}));
}
inline void Emitter::normalize(TileRef o, TileRef l, TileRef m, TileRef lse, int line) {
  emit(tile_event(Op::normalize, line, {o, l, m, lse}));
}

}  // namespace tilewalk
