#include "viz/tile_words.h"

#include <cmath>

#include "sim/softmax.h"
#include "viz/numbers.h"
#include "viz/sentence.h"
#include "viz/tile_values.h"

namespace tilewalk::viz {
namespace {

constexpr std::size_t most_terms = 4;

// The cell that is asked about.
struct Place {
  const Frame& frame;
  const RunFrame& run;
  int tile;
  std::int64_t row, col;

  const MachineState& now() const { return run.moment.state; }
  // The state that the merge began from: its scores are not weights yet, its m, l and O are the old ones.
  const MachineState& ahead() const { return run.moment.merging ? *run.moment.merging : run.moment.state; }
  Value at(const char* name, std::int64_t r, std::int64_t c = 0) const {
    return value_in(now(), find_tile(run, name), r, c);
  }
  Value was(const char* name, std::int64_t r, std::int64_t c = 0) const {
    return value_in(ahead(), find_tile(run, name), r, c);
  }
};

std::string said(const std::optional<float>& value) { return value ? number(*value) : "…"; }

std::string signed_number(const std::optional<float>& value) {
  return value && *value < 0 ? "(" + said(value) + ")" : said(value);
}

// "0.31·0.22 + 0.4·(−1.1) + … (64 terms)", and what all of it comes to.
struct Sum {
  std::string words;
  float value = 0;
};

template <class Left, class Right>
Sum product(const Frame& frame, std::int64_t count, Left left, Right right) {
  Sum sum;
  for (std::int64_t n = 0; n < count; ++n) {
    const auto a = left(n), b = right(n);
    sum.value += a.value_or(0) * b.value_or(0);
    if (std::size_t(n) >= most_terms) continue;
    sum.words += (n > 0 ? " + " : "") + signed_number(a) + "·" + signed_number(b);
  }
  if (count > std::int64_t(most_terms)) sum.words = frame.filled(Str::cell_terms, sum.words + " +", count);
  return sum;
}

std::string score_name(const Place& p, const char* letter) {
  const TileState& state = p.now().tiles[std::size_t(p.tile)];
  const Kernel& kernel = kernel_of(p.run);
  const std::int64_t row = kernel.start(Axis::q, std::max(0, state.row)),
                     col = kernel.start(Axis::kv, std::max(0, state.col));
  return fmt::format("{}[{},\u00A0{}]", letter, row + p.row, col + p.col);
}

// S = scale * sum over d of q k.
std::string raw_score(const Place& p) {
  const int q = find_tile(p.run, "q"), k = find_tile(p.run, "k");
  const std::string name = score_name(p, "S");
  const auto value = value_in(p.ahead(), find_scores(p.run), p.row, p.col);
  if (!holds(p.now(), q) || !holds(p.now(), k)) return name + " = " + said(value);
  const std::int64_t depth = p.run.plan().problem().d;
  const Sum sum = product(
      p.frame, depth, [&](std::int64_t n) { return p.at("q", p.row, n); },
      [&](std::int64_t n) { return p.at("k", p.col, n); });
  const float scale = p.run.plan().problem().scale;
  return name + " = scale · Σ q·k\n= " + number(scale) + " · (" + sum.words + ")\n= " + number(scale) +
         " · " + signed_number(sum.value) + " = " + number(scale * sum.value);
}

// P against the maximum that its kernel measures against.
std::string weight(const Place& p) {
  const auto value = value_in(p.now(), p.tile, p.row, p.col);
  const std::string name = score_name(p, "P");
  const auto score = value_in(p.ahead(), p.tile, p.row, p.col);
  const bool blocks = find_tile(p.run, "m_tile") >= 0, running = find_tile(p.run, "m") >= 0;
  if (!p.run.moment.merging || !score) return name + " = " + said(value);
  const bool divides = find_event(p.run.moment, Op::softmax) != nullptr;
  std::optional<float> m = blocks    ? p.at("m_tile", p.row)
                           : running ? p.at("m", p.row)
                                     : std::nullopt,
                       l = p.at("l", p.row);
  if (divides && !running) {  // whole rows
    m = -infinity, l = 0.0f;
    const auto row = row_in(p.ahead(), p.tile, p.row);
    for (const float s : row) m = larger(*m, s);
    for (const float s : row) *l += exp_flushed(s - base_of(*m));
  }
  const std::string symbol = blocks ? "m⁽ᵗ⁾" : running && !divides ? "m′" : "m";
  std::string text = name + " = exp(S − " + symbol + ")" + (divides ? " / ℓ" : "");
  text += "\n= exp(" + said(score) + " − " + signed_number(m) + ")" + (divides ? " / " + said(l) : "") +
          " = " + said(value);
  return text + "\n" + raw_score(p);
}

std::string output(const Place& p) {
  const Rect rect = current_rect(p.run);
  const auto value = value_in(p.now(), p.tile, p.row, p.col);
  const std::string name = fmt::format("O[{},\u00A0{}]", rect.row + p.row, p.col), now = said(value);
  const Event* e = last_write(p.run.moment, static_cast<TileHandle>(p.tile));
  if (!e || e->op == Op::fill)
    return name + " = " + now + "\n" + std::string(p.frame.text(Str::cell_initial));
  if (e->op == Op::load)
    return name + " = " + now + "\n" +
           p.frame.filled(Str::cell_loaded, name_of(p.run.plan().tensors[e->tensor].type));
  if (e->op == Op::normalize && e->col < 0)
    return name + " = O / ℓ, ℓ = " + said(p.at("l", p.row)) + "\n= " + now;
  if (e->op == Op::rescale) {
    const bool by_l = e->operand[1] == find_tile(p.run, "l");
    return name + (by_l ? " = ℓ · O" : " = α · O") + ", " +
           (by_l ? "ℓ = " + said(p.was("l", p.row)) : "α = " + said(p.at("alpha", p.row))) + "\n= " + now;
  }
  const char* weights = find_tile(p.run, "s") >= 0 ? "s" : "p";
  const int v = find_tile(p.run, "v");
  if (!holds(p.now(), v)) return name + " = " + now;
  const std::int64_t depth = p.now().tiles[std::size_t(v)].rows;
  const Sum sum = product(
      p.frame, depth, [&](std::int64_t n) { return p.at(weights, p.row, n); },
      [&](std::int64_t n) { return p.at("v", n, p.col); });
  const auto before = p.was("o", p.row, p.col);
  const bool blocks = find_tile(p.run, "m_tile") >= 0, scaled = find_tile(p.run, "alpha") >= 0;
  const char* letter = p.run.plan().algorithm().softmax ? "P" : "S";
  std::string text = name;
  if (blocks) {
    text += std::string(" = (α ℓ · O + β · Σ P·V)") + (e->op == Op::normalize ? " / ℓ′" : "");
    text += "\n= (" + said(p.at("alpha", p.row)) + " · " + said(p.was("l", p.row)) + " · " +
            signed_number(before) + " + " + said(p.at("beta", p.row)) + " · " + signed_number(sum.value) +
            ")";
    if (e->op == Op::normalize) text += " / " + said(p.at("l", p.row));
  } else {
    text += std::string(scaled ? " = α · O + Σ " : " = O + Σ ") + letter + "·V\n= ";
    if (scaled) text += said(p.at("alpha", p.row)) + " · ";
    text += signed_number(before) + " + " + signed_number(sum.value);
  }
  return text + " = " + now + "\nΣ " + letter + "·V = " + sum.words;
}

std::string column(const Place& p, std::string_view name) {
  const auto value = value_in(p.now(), p.tile, p.row, 0);
  const std::string head = letter_of(name) + fmt::format("[{}] = ", current_rect(p.run).row + p.row);
  const std::string now = said(value);
  if (!p.run.moment.merging) return head + now;
  if (name == "alpha")
    return head + "exp(m − m′)\n= exp(" + said(p.was("m", p.row)) + " − " + signed_number(p.at("m", p.row)) +
           ") = " + now;
  if (name == "beta")
    return head + "exp(m⁽ᵗ⁾ − m′)\n= exp(" + said(p.at("m_tile", p.row)) + " − " +
           signed_number(p.at("m", p.row)) + ") = " + now;
  const bool blocks = find_tile(p.run, "m_tile") >= 0;
  if (name == "l" && !blocks && find_event(p.run.moment, Op::online_softmax)) {
    float sum = 0;
    for (const float w : row_in(p.now(), find_scores(p.run), p.row)) sum += w;
    return head + "α · ℓ + Σ P\n= " + said(p.at("alpha", p.row)) + " · " + said(p.was("l", p.row)) + " + " +
           number(sum) + " = " + now;
  }
  if (name == "l" && find_event(p.run.moment, Op::merge))
    return head + "α · ℓ + β · ℓ⁽ᵗ⁾\n= " + said(p.at("alpha", p.row)) + " · " + said(p.was("l", p.row)) +
           " + " + said(p.at("beta", p.row)) + " · " + said(p.at("l_tile", p.row)) + " = " + now;
  float most = -infinity;
  for (const float s : row_in(p.ahead(), find_scores(p.run), p.row)) most = larger(most, s);
  if (name == "m_tile") return head + "max S = " + now;
  if (name == "m" && (!blocks || find_event(p.run.moment, Op::merge)))
    return head + "max(m, m⁽ᵗ⁾)\n= max(" + said(p.was("m", p.row)) + ", " + number(most) + ") = " + now;
  if (name == "lse")
    return head + "m + ln ℓ\n= " + said(p.at("m", p.row)) + " + ln " + said(p.at("l", p.row)) + " = " + now;
  return head + now;
}

std::string input(const Place& p, const Tile& tile) {
  const TileState& state = p.now().tiles[std::size_t(p.tile)];
  const std::int64_t start = kernel_of(p.run).start(tile.rows, tile.rows == Axis::q ? state.row : state.col);
  const Tensor& tensor = p.run.plan().tensors[std::size_t(tile.tensor)];
  return fmt::format("{}[{},\u00A0{}] = {}\n", tensor.name, start + p.row, p.col,
                     said(value_in(p.now(), p.tile, p.row, p.col))) +
         p.frame.filled(Str::cell_loaded, name_of(tensor.type));
}

}  // namespace

std::string cell_words(const Frame& frame, const RunFrame& run, int n, std::int64_t row, std::int64_t col) {
  const Tile& tile = kernel_of(run).tiles[std::size_t(n)];
  const Place place{frame, run, n, row, col};
  const CellKind kind = grid_of_tile(run, n).at(row, col).kind;
  if (kind == CellKind::unwritten) return std::string(frame.text(Str::cell_unwritten));
  const bool is_scores = tile.rows == Axis::q && tile.cols == Axis::kv;
  if (kind == CellKind::masked)
    return score_name(place, score_stage(run) == ScoreStage::weights ? "P" : "S") + "\n" +
           std::string(frame.text(Str::cell_masked));
  if (is_scores) {
    if (score_stage(run) == ScoreStage::weights && tile.name == "p")
      return score_name(place, "P") + " = " + said(value_in(place.now(), n, row, col));
    return score_stage(run) == ScoreStage::weights ? weight(place) : raw_score(place);
  }
  if (tile.cols == Axis::one) return column(place, tile.name);
  return tile.name == "o" ? output(place) : input(place, tile);
}

}  // namespace tilewalk::viz
