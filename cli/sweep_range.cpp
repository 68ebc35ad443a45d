#include "cli/sweep_range.h"

#include <algorithm>

#include "cli/algorithm_list.h"
#include "cli/console.h"
#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk {
namespace {

constexpr std::size_t most_values = 1000;

class RangeParser {
 public:
  explicit RangeParser(const std::string& text) : text_(text) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw RequestError("--over " + typed(text_) + ": " + why);
  }

  std::int64_t number(std::string_view word) const {
    const auto value = parse_number<std::int64_t>(word);
    if (value && *value >= 0) return *value;
    refuse("'" + shown(word) + "' is not a whole number of at least 0; say e.g. n=512:65536:*2");
  }

  std::vector<std::int64_t> values(const std::string& range) const {
    const auto first = range.find(':');
    if (first == std::string::npos) return list(range);
    const auto second = range.find(':', first + 1);
    if (second == std::string::npos) refuse("lacks the step; say e.g. n=512:65536:*2 or d=32:128:+32");
    return steps(number(range.substr(0, first)), number(range.substr(first + 1, second - first - 1)),
                 range.substr(second + 1));
  }

 private:
  std::vector<std::int64_t> list(const std::string& words) const {
    std::vector<std::int64_t> values;
    for (const std::string& word : split_at_commas(words)) {
      const std::int64_t value = number(word);
      if (std::find(values.begin(), values.end(), value) != values.end())
        refuse("has " + word + " twice; leave one out");
      values.push_back(value);
    }
    if (values.size() > most_values) refuse_length();
    return values;
  }

  std::vector<std::int64_t> steps(std::int64_t from, std::int64_t to, const std::string& step) const {
    if (step.empty() || (step[0] != '*' && step[0] != '+'))
      refuse("the step must be *FACTOR or +STEP, e.g. n=512:65536:*2");
    const std::int64_t by = number(std::string_view(step).substr(1));
    const bool multiplies = step[0] == '*';
    if (by < (multiplies ? 2 : 1) || (multiplies && from == 0))
      refuse(
          "never gets from the first value to the last; choose a factor of at least 2 from at least 1, or a "
          "step of at least 1");
    if (from > to) refuse("begins above its end; turn it round");
    std::vector<std::int64_t> values;
    for (std::int64_t value = from; value <= to;) {
      if (values.size() == most_values) refuse_length();
      values.push_back(value);
      if (multiplies ? value > to / by : value > to - by) break;  // the next would be beyond, or overflow
      value = multiplies ? value * by : value + by;
    }
    return values;
  }

  [[noreturn]] void refuse_length() const {
    refuse("has more than " + std::to_string(most_values) + " values; choose a larger step");
  }

  const std::string& text_;
};

}  // namespace

SweepRange parse_sweep_range(const std::string& text, const std::vector<std::string_view>& names) {
  const RangeParser parser(text);
  const auto equals = text.find('=');
  if (equals == std::string::npos) parser.refuse("must be VARIABLE=VALUES, e.g. n=512:65536:*2");
  const std::string name = text.substr(0, equals);
  for (const std::string_view known : names) {
    if (known == name) return {name, parser.values(text.substr(equals + 1))};
  }
  parser.refuse(unknown_name("variable", name, names));
}

}  // namespace tilewalk
