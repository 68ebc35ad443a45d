#include "viz/sentence.h"

#include "viz/strings.h"
#include "viz/text.h"

namespace tilewalk::viz {
namespace {

// "K 2", "S 1 2": with the tile's number on the axes that it has.
std::string numbered(std::string_view name, Axis rows, Axis cols, const Event& e) {
  std::string text = letter_of(name);
  for (const Axis axis : {rows, cols}) {
    if (axis == Axis::q && e.row >= 0) text += "\u00A0" + std::to_string(e.row);
    if (axis == Axis::kv && e.col >= 0) text += "\u00A0" + std::to_string(e.col);
  }
  return text;
}

std::string level_name(const Plan& plan, int level) {
  std::string name = plan.config.arch.levels[static_cast<std::size_t>(level)].name;
  for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

const Tile& operand(const Event& e, const Plan& plan, int n) {
  return plan.kernels[e.launch].tiles[e.operand[n]];
}

std::string operand_name(const Event& e, const Plan& plan, int n) {
  return e.operand[n] == no_tile ? "" : letter_of(operand(e, plan, n).name);
}

std::string move_words(const Event& e, const Plan& plan, Language language) {
  const Tensor& tensor = plan.tensors[e.tensor];
  const auto bytes =
      static_cast<std::uint64_t>(e.rows) * static_cast<std::uint64_t>(e.cols) * size_of(tensor.type);
  return filled(e.op == Op::load ? Str::op_load : Str::op_store, language,
                numbered(tensor.name, tensor.rows, tensor.cols, e), e.rows, e.cols, grouped(bytes),
                level_name(plan, e.from), level_name(plan, e.to));
}

std::string gemm_words(const Event& e, const Plan& plan, Language language) {
  const auto factor = [&](int n, std::uint8_t transposed) {
    return operand_name(e, plan, n) + (e.flags & transposed ? "ᵀ" : "");
  };
  return filled(e.flags & flag::accumulate ? Str::op_gemm_add : Str::op_gemm, language,
                operand_name(e, plan, 0), factor(1, flag::transpose_a), factor(2, flag::transpose_b), e.rows,
                e.cols, e.depth);
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace

std::string letter_of(std::string_view name) {
  if (name == "l") return "ℓ";
  if (name == "l_tile") return "ℓ⁽ᵗ⁾";
  if (name == "m_tile") return "m⁽ᵗ⁾";
  if (name == "alpha") return "α";
  if (name == "beta") return "β";
  return std::string(name);
}

std::string event_words(const Event& e, const Plan& plan, Language language) {
  if (e.op == Op::load || e.op == Op::store) return move_words(e, plan, language);
  if (e.op == Op::gemm) return gemm_words(e, plan, language);
  const std::string name = operand_name(e, plan, 0);
  const auto say = [&](Str id) { return filled(id, language, name); };
  switch (e.op) {
    case Op::alloc: {
      const Tile& tile = operand(e, plan, 0);
      return filled(Str::op_alloc, language, name, tile.most_rows, tile.most_cols, grouped(tile.bytes()),
                    level_name(plan, e.to));
    }
    case Op::free: return say(Str::op_free);
    case Op::fill:
      return say(e.flags & flag::minus_infinity ? Str::op_fill_minus_infinity : Str::op_fill_zero);
    case Op::mask: return say(Str::op_mask);
    case Op::softmax: return say(Str::op_softmax);
    case Op::block_softmax: return say(Str::op_block_softmax);
    case Op::online_softmax: return say(Str::op_online_softmax);
    case Op::merge: return say(Str::op_merge);
    case Op::rescale: return filled(Str::op_rescale, language, name, operand_name(e, plan, 1));
    case Op::normalize: return say(Str::op_normalize);
    case Op::load:
    case Op::store:
    case Op::gemm: break;  // above
  }
  return "";
}

std::string place_words(const Event& e, const Plan& plan, Language language) {
  std::string text;
  const auto add = [&](Str id, auto value) {
    if (!text.empty()) text += viz::text(Str::place_separator, language);
    text += filled(id, language, value);
  };
  const Kernel& kernel = plan.kernels[e.launch];
  if (plan.kernels.size() > 1) add(Str::place_kernel, kernel.row->name);
  if (plan.problem().instances() > 1) add(Str::place_head, e.cta / kernel.blocks);
  if (e.row >= 0) add(Str::place_row, e.row);
  if (e.col >= 0) add(Str::place_col, e.col);
  return text;
}

std::string sentence(const Moment& moment, const Plan& plan, Language language, bool tell_next) {
  const auto say = [&](Str id) { return std::string(text(id, language)); };
  std::string words;
  if (moment.done) {
    const std::string place = place_words(*moment.done, plan, language);
    if (!place.empty()) words = place + say(Str::place_end);
    words += event_words(*moment.done, plan, language) + say(Str::full_stop);
  } else {
    words = say(Str::before_first) + say(Str::full_stop);
  }
  if (tell_next || !moment.next)
    words += moment.next ? filled(Str::next_is, language, event_words(*moment.next, plan, language))
                         : say(Str::the_end);
  return capitalised(words);
}

}  // namespace tilewalk::viz
