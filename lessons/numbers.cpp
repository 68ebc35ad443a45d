#include "lessons/numbers.h"

#include <cmath>

#include "sim/error.h"
#include "sim/parse.h"
#include "sim/problem.h"

namespace tilewalk {
namespace {

std::optional<double> parse_fraction(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return parse_number<double>(text);
  const auto above = parse_number<double>(text.substr(0, slash)),
             below = parse_number<double>(text.substr(slash + 1));
  if (!above || !below) return std::nullopt;
  return *above / *below;
}

}  // namespace

std::int64_t parse_whole(std::string_view flag, std::string_view text, std::int64_t least, std::int64_t most,
                         std::string_view example) {
  const auto value = parse_number<std::int64_t>(text);
  if (value && *value >= least && *value <= most) return *value;
  throw RequestError(std::string(flag) + " " + typed(text) + ": must be a whole number from " +
                     std::to_string(least) + " to " + std::to_string(most) + ", e.g. " +
                     std::string(example));
}

std::uint64_t parse_seed(std::string_view flag, std::string_view text) {
  if (const auto value = parse_number<std::uint64_t>(text)) return *value;
  throw RequestError(std::string(flag) + " " + typed(text) +
                     ": must be a whole number from 0 to 2^64 - 1, e.g. 42");
}

float parse_scale(std::string_view text, std::int64_t d) {
  if (text == "1/sqrt(d)") return default_scale(d);
  if (const auto value = parse_fraction(text)) {
    const auto scale = static_cast<float>(*value);
    if (std::isfinite(scale)) return scale;
  }
  throw RequestError("--scale " + typed(text) +
                     ": must be a finite number, a fraction or 1/sqrt(d), e.g. 0.125 or 1/8");
}

}  // namespace tilewalk
