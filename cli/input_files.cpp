#include "cli/input_files.h"

#include <tuple>

#include "cli/console.h"
#include "lessons/numbers.h"
#include "sim/error.h"
#include "sim/npy.h"

namespace tilewalk {
namespace {

struct InputFile {
  std::string shown;  // "--q q.npy"
  std::int64_t batch, heads, n, d;
  NpyArray array;
};

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t axis : shape) text += (text.empty() ? "" : ", ") + std::to_string(axis);
  return "(" + text + ")";
}

InputFile read_input(const char* flag, const std::string& path) {
  InputFile file{std::string(flag) + " " + one_line(path, 200), 1, 1, 0, 0, {}};
  try {
    file.array = read_npy(path);
  } catch (const RequestError& error) {
    throw RequestError(std::string(flag) + " " + error.what());
  }
  std::vector<std::int64_t> axes = file.array.shape;
  if (axes.size() < 2 || axes.size() > 4) {
    throw RequestError(file.shown + ": has the shape " + shape_text(axes) +
                       "; must be (n, d), (heads, n, d) or (batch, heads, n, d), reshape it");
  }
  axes.insert(axes.begin(), 4 - axes.size(), 1);
  std::tie(file.batch, file.heads, file.n, file.d) = std::tuple(axes[0], axes[1], axes[2], axes[3]);
  for (const std::int64_t axis : {file.batch, file.heads, file.d}) {
    if (axis == 0)
      throw RequestError(file.shown + ": has the shape " + shape_text(file.array.shape) +
                         "; only n may be 0");
  }
  return file;
}

void check_same(const InputFile& a, const InputFile& b, bool whole) {
  const bool same = a.batch == b.batch && a.d == b.d && (!whole || (a.heads == b.heads && a.n == b.n));
  if (same) return;
  throw RequestError(b.shown + ": its shape " + shape_text(b.array.shape) + " does not go with " + a.shown +
                     " " + shape_text(a.array.shape) + "; " +
                     (whole ? "K and V need the same shape" : "Q and K need the same batch and d"));
}

void refuse_partial(const RunFlags& flags) {
  std::string missing, given;
  for (const auto& [name, flag] : {std::pair{"--q", &flags.q}, {"--k", &flags.k}, {"--v", &flags.v}}) {
    (*flag ? given : missing) = (*flag             ? std::string(name) + " " + one_line(**flag, 200)
                                 : missing.empty() ? name
                                                   : missing + " and " + name);
  }
  if (!missing.empty())
    throw RequestError(given + ": needs " + missing + " too; give all three of --q, --k and --v");
}

}  // namespace

void read_input_files(const RunFlags& flags, Request& request) {
  refuse_partial(flags);
  InputFile q = read_input("--q", *flags.q), k = read_input("--k", *flags.k), v = read_input("--v", *flags.v);
  refuse_seed(flags, q.shown);
  check_same(q, k, false);
  check_same(k, v, true);
  check_flag("--batch", flags.batch, q.batch, q.shown);
  check_flag("--heads", flags.heads, q.heads, q.shown);
  check_flag("--n", flags.n, q.n, q.shown);
  check_flag("--d", flags.d, q.d, q.shown);
  check_flag("--kv-heads", flags.kv_heads, k.heads, k.shown);
  check_flag("--n-kv", flags.n_kv, k.n, k.shown);
  Problem& p = request.problem;
  p.batch = q.batch;
  p.heads = q.heads;
  p.kv_heads = k.heads;
  p.n_q = q.n;
  p.n_kv = k.n;
  p.d = q.d;
  const auto is_f16 = [](const InputFile& file) { return file.array.type == NpyType::f16; };
  p.dtype = is_f16(q) && is_f16(k) && is_f16(v) ? DType::f16 : DType::f32;  // the widest; f64 is not modelled
  request.inputs = q.shown + " " + k.shown + " " + v.shown;
  request.given = {std::move(q.array.values), std::move(k.array.values), std::move(v.array.values)};
}

}  // namespace tilewalk
