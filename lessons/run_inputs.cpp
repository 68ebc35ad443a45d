// Where the Q, K and V of a run come from.
#include "lessons/heads.h"
#include "lessons/numbers.h"
#include "lessons/run_request.h"
#include "sim/error.h"

namespace tilewalk {
namespace {

// How many first rows of a head are wanted.
std::int64_t rows_of_head(const char* name, const Flag& flag, std::int64_t otherwise, const Head& head) {
  if (!flag) return otherwise;
  const std::int64_t rows = parse_whole(name, *flag, 0, INT64_MAX, "256");
  if (rows <= head.n) return rows;
  throw RequestError(std::string(name) + " " + typed(*flag) + ": head " + std::string(head.name) + " has " +
                     std::to_string(head.n) + " rows; choose at most that");
}

}  // namespace

void check_flag(const char* name, const Flag& flag, std::int64_t size, const std::string& source) {
  if (!flag || parse_whole(name, *flag, 0, INT64_MAX, std::to_string(size)) == size) return;
  throw RequestError(std::string(name) + " " + typed(*flag) + ": contradicts " + source + ", which has " +
                     std::to_string(size) + "; leave " + name + " out");
}

void refuse_seed(const RunFlags& flags, const std::string& source) {
  if (flags.seed)
    throw RequestError("--seed " + typed(*flags.seed) + ": has no effect with " + source +
                       "; leave one of them out");
}

void take_head(const RunFlags& flags, Request& request) {
  const Head& head = head_named(*flags.head);
  const std::string source = "--head " + std::string(head.name);
  for (const auto& [name, flag] : {std::pair{"--q", &flags.q}, {"--k", &flags.k}, {"--v", &flags.v}}) {
    if (*flag) throw RequestError(source + ": cannot be combined with " + name + "; leave one of them out");
  }
  refuse_seed(flags, source);
  for (const auto& [name, flag] :
       {std::pair{"--heads", &flags.heads}, {"--kv-heads", &flags.kv_heads}, {"--batch", &flags.batch}}) {
    check_flag(name, *flag, 1, source);
  }
  check_flag("--d", flags.d, head.d, source);
  Problem& p = request.problem;
  p.n_q = rows_of_head("--n", flags.n, head.n, head);
  p.n_kv = rows_of_head("--n-kv", flags.n_kv, p.n_q, head);
  p.d = head.d;
  p.dtype = DType::f16;
  p.mask = parse_mask(head.mask);
  p.scale = head.scale;
  request.head = head.name;
  request.inputs = "head " + std::string(head.name);
  Inputs inputs = load_head(head);
  inputs.q.resize(static_cast<std::size_t>(p.n_q * p.d));
  inputs.k.resize(static_cast<std::size_t>(p.n_kv * p.d));
  inputs.v.resize(static_cast<std::size_t>(p.n_kv * p.d));
  request.given = std::move(inputs);
}

Inputs make_inputs(const Request& request) {
  return request.given ? checked_inputs(request.problem, *request.given)
                       : random_inputs(request.problem, request.seed);
}

}  // namespace tilewalk
