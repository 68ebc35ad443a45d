// A number with where it comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewalk {

// A set: a ratio of a counted number and a published one has both. None: a number of the lesson's own, such
// as a factor, or a size that was chosen.
struct Origins {
  bool model = false, theory = false, measured = false, published = false;

  bool none() const { return !model && !theory && !measured && !published; }
  Origins operator|(const Origins& other) const {
    return {model || other.model, theory || other.theory, measured || other.measured,
            published || other.published};
  }
  bool operator==(const Origins&) const = default;
};
constexpr Origins from_model{true, false, false, false}, from_theory{false, true, false, false},
    from_measurement{false, false, true, false}, from_publication{false, false, false, true}, from_nowhere{};

std::string origin_words(const Origins& origins);  // "model", "model, published", "" for none

struct Value {
  double number = 0;
  Origins origins;
  std::vector<std::string> sources;  // of published and measured numbers
};

// A placeholder's format: "" (whole numbers grouped, others to four figures), bytes, B, percent, x, time,
// count, sci, or .0 to .9 (decimals). Both give "" or false for an unknown one.
bool is_number_format(std::string_view format);
std::string format_number(double number, std::string_view format);

}  // namespace tilewalk
