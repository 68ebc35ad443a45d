#include "viz/header_request.h"

#include <filesystem>
#include <fstream>
#include <map>

#include "lessons/heads.h"
#include "sim/error.h"
#include "sim/fault.h"
#include "sim/npy.h"
#include "sim/parse.h"

namespace tilewalk::viz {
namespace {

class Reader {
 public:
  Reader(const Header& header, const std::string& name) : words_(header.begin(), header.end()), name_(name) {}

  std::string word(const std::string& key, const std::string& otherwise) const {
    const auto found = words_.find(key);
    return found == words_.end() ? otherwise : found->second;
  }
  template <class Number>
  Number number(const std::string& key, Number otherwise) const {
    const auto found = words_.find(key);
    if (found == words_.end()) return otherwise;
    const auto value = parse_number<Number>(found->second);
    if (!value) refuse(key + " '" + shown(found->second) + "' is not a number");
    return *value;
  }
  [[noreturn]] void refuse(const std::string& why) const { throw RequestError(name_ + ": " + why); }

 private:
  std::map<std::string, std::string> words_;
  std::string name_;
};

}  // namespace

RunRequest request_of_header(const Header& header, const std::string& name) {
  const Reader from(header, name);
  if (from.word("inputs", "") == "files")
    from.refuse("was made from .npy files; drop those three files instead");
  RunRequest r;
  r.algorithm = algorithm_named(from.word("algorithm", "flash2")).name;
  Problem& p = r.problem;
  p.n_q = from.number<std::int64_t>("n", 1024);
  p.n_kv = from.number<std::int64_t>("n-kv", p.n_q);
  p.d = from.number<std::int64_t>("d", 64);
  p.batch = from.number<std::int64_t>("batch", 1);
  p.heads = from.number<std::int64_t>("heads", 1);
  p.kv_heads = from.number<std::int64_t>("kv-heads", p.heads);
  const auto type = dtype_named(from.word("dtype", "f16"));
  if (!type) from.refuse("its dtype is not known");
  p.dtype = *type;
  p.mask = parse_mask(from.word("mask", "none"));
  p.scale = from.number<float>("scale", default_scale(p.d));
  r.arch = arch_named(from.word("arch", "a100"));
  r.tiling.block_q = from.number<std::int64_t>("block-q", 0);
  r.tiling.block_kv = from.number<std::int64_t>("block-kv", 0);
  if (from.word("order", "ascending") == "descending") r.tiling.order = Order::descending;
  const std::string fault = from.word("fault", "none");
  if (fault != "none") r.fault = &fault_named(fault);
  r.seed = from.number<std::uint64_t>("seed", 0);
  validate(p);
  const std::string head = from.word("head", "");
  if (head.empty()) return r;
  const Head& known = head_named(head);
  if (p.n_q > known.n || p.n_kv > known.n || p.d != known.d)
    from.refuse("its sizes are not those of head " + head);
  r.head = known.name;
  take_rows_of_head(r);
  return r;
}

RunRequest request_of_trace(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || !line.starts_with("tilewalk-trace"))
    throw RequestError(path +
                       ": is no trace of tilewalk; make one with 'tilewalk trace ALGORITHM --out F.trace'");
  Header header;
  while (std::getline(file, line) && !line.starts_with("levels")) {
    std::string_view rest = line;
    const std::string key(take_word(rest));
    header.emplace_back(key, std::string(take_word(rest)));
  }
  return request_of_header(header, path);
}

namespace {

// Which of Q, K and V a file's name says it is; -1: nothing.
int letter_of(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem().string();
  const auto is = [&](char small, char large) {
    const char last = stem.empty() ? ' ' : stem.back(), first = stem.empty() ? ' ' : stem.front();
    return last == small || last == large || first == small || first == large;
  };
  return is('q', 'Q') ? 0 : is('k', 'K') ? 1 : is('v', 'V') ? 2 : -1;
}

struct Axes {
  std::int64_t batch, heads, n, d;
};

Axes axes_of(const NpyArray& array, const std::string& path) {
  std::vector<std::int64_t> axes = array.shape;
  if (axes.size() < 2 || axes.size() > 4)
    throw RequestError(path + ": must be (n, d), (heads, n, d) or (batch, heads, n, d), reshape it");
  axes.insert(axes.begin(), 4 - axes.size(), 1);
  return {axes[0], axes[1], axes[2], axes[3]};
}

}  // namespace

RunRequest request_of_npy(const std::vector<std::string>& paths) {
  if (paths.size() != 3)
    throw RequestError("drop the three .npy files of Q, K and V together: these are " +
                       std::to_string(paths.size()));
  RunRequest r;
  r.files = {paths[0], paths[1], paths[2]};
  const std::array letters{letter_of(paths[0]), letter_of(paths[1]), letter_of(paths[2])};
  if (letters[0] + letters[1] + letters[2] == 3 && letters[0] * letters[1] * letters[2] == 0 &&
      letters[0] != letters[1] && letters[1] != letters[2]) {
    for (std::size_t n = 0; n < 3; ++n) r.files[static_cast<std::size_t>(letters[n])] = paths[n];
  }
  std::array<NpyArray, 3> arrays;
  for (std::size_t n = 0; n < 3; ++n) arrays[n] = read_npy(r.files[n]);
  const Axes q = axes_of(arrays[0], r.files[0]), k = axes_of(arrays[1], r.files[1]);
  if (arrays[1].shape != arrays[2].shape) throw RequestError(r.files[2] + ": K and V need the same shape");
  if (q.batch != k.batch || q.d != k.d)
    throw RequestError(r.files[1] + ": Q and K need the same batch and d");
  r.problem = {q.batch, q.heads, k.heads, q.n, k.n, q.d, DType::f16, Mask(), default_scale(q.d)};
  for (const NpyArray& array : arrays) {
    if (array.type != NpyType::f16) r.problem.dtype = DType::f32;
  }
  validate(r.problem);
  r.given = std::make_shared<const Inputs>(
      Inputs{std::move(arrays[0].values), std::move(arrays[1].values), std::move(arrays[2].values)});
  r.arch = arch_named("a100");
  return r;
}

}  // namespace tilewalk::viz
