#include "lessons/heads.h"

#include <stdexcept>
#include <string>

#include "lessons/head_files.h"
#include "sim/error.h"
#include "sim/npy.h"

namespace tilewalk {
namespace {

constexpr Head table[] = {
    {"previous_byte", "looks at the byte just before"},
    {"induction", "finds the earlier copy: a diagonal 255 keys back"},
    {"broad", "spreads its weight over many keys"},
    {"sharp", "puts its weight on very few keys, with large logits"},
};

std::vector<float> load(const Head& head, std::string_view tensor) {
  const std::string ending = "/" + std::string(head.name) + "/" + std::string(tensor) + ".npy";
  for (const auto& [path, bytes] : head_data::files()) {
    if (!path.ends_with(ending)) continue;
    NpyArray array = parse_npy(bytes, path);
    if (array.shape == std::vector<std::int64_t>{head.n, head.d}) return std::move(array.values);
  }
  throw std::logic_error("the program lacks the data of head " + std::string(head.name));
}

}  // namespace

std::span<const Head> heads() { return table; }

std::vector<std::string_view> head_names() {
  std::vector<std::string_view> names;
  for (const Head& head : table) names.push_back(head.name);
  return names;
}

const Head& head_named(std::string_view name) {
  for (const Head& head : table) {
    if (head.name == name) return head;
  }
  throw RequestError("--head: " + unknown_name("head", name, head_names()));
}

Inputs load_head(const Head& head) { return {load(head, "q"), load(head, "k"), load(head, "v")}; }

}  // namespace tilewalk
