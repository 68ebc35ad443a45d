#include "sim/npy_dict.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "sim/npy_refuse.h"

namespace tilewalk::npy {
namespace {

class DictScanner {
 public:
  explicit DictScanner(std::string_view text) : text_(text) {}

  Fields scan() {
    expect('{', "a dict");
    while (!take('}')) {
      scan_entry();
      if (take(',')) continue;
      expect('}', "',' or '}' between entries");
      break;
    }
    skip_space();
    if (at_ != text_.size()) malformed("nothing after the dict");
    return {value_of(descr_, "descr"), value_of(fortran_order_, "fortran_order"), value_of(shape_, "shape")};
  }

 private:
  void scan_entry() {
    const std::string_view key = scan_string("a key in quotes");
    expect(':', "':' after a key");
    if (key == "descr") {
      set(descr_, scan_descr(), key);
    } else if (key == "fortran_order") {
      set(fortran_order_, scan_bool(), key);
    } else if (key == "shape") {
      set(shape_, scan_shape(), key);
    } else {
      refuse("its header has the unknown key " + quoted(key), save_again);
    }
  }

  template <class Value>
  static void set(std::optional<Value>& field, Value value, std::string_view key) {
    if (field) refuse("its header has the key " + quoted(key) + " twice", save_again);
    field = std::move(value);
  }

  template <class Value>
  static Value value_of(std::optional<Value>& field, std::string_view key) {
    if (!field) refuse("its header lacks the key " + quoted(key), save_again);
    return std::move(*field);
  }

  std::string_view scan_descr() {
    if (peek() == '[') {
      refuse("it holds a structured array",
             "save one field of it: np.save(file, arr['field'].astype(np.float32))");
    }
    return scan_string("the dtype in quotes");
  }

  std::string_view scan_string(const char* wanted) {
    const char quote = peek();
    if (quote != '\'' && quote != '"') malformed(wanted);
    const std::size_t begin = ++at_;
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) malformed("a closing quote");
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }

  bool scan_bool() {
    skip_space();
    for (const auto& [word, value] : {std::pair{std::string_view("False"), false}, {"True", true}}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    malformed("True or False for fortran_order");
  }

  std::vector<std::int64_t> scan_shape() {
    constexpr const char* wanted = "a tuple of whole numbers for shape";
    std::vector<std::int64_t> shape;
    expect('(', wanted);
    bool comma = true;  // (3) is a number in Python, (3,) a tuple
    while (!take(')')) {
      if (!comma) malformed(wanted);
      if (shape.size() == max_axes) refuse("its shape has more than 64 axes", "reshape the array");
      shape.push_back(scan_axis(wanted));
      comma = take(',');
    }
    if (shape.size() == 1 && !comma) malformed(wanted);
    return shape;
  }

  std::int64_t scan_axis(const char* wanted) {
    if (peek() == '-') refuse("its shape has a negative axis", save_again);
    const std::string_view rest = text_.substr(at_);
    std::int64_t axis = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), axis);
    if (error == std::errc::result_out_of_range) refuse("its shape has an axis beyond 64 bits", save_again);
    if (error != std::errc{}) malformed(wanted);
    at_ += static_cast<std::size_t>(end - rest.data());
    return axis;
  }

  // The next character that is not white space, or '\0' at the end.
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char wanted) {
    const bool found = peek() == wanted;
    if (found) ++at_;
    return found;
  }

  void expect(char wanted, const char* description) {
    if (!take(wanted)) malformed(description);
  }

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n\f\v", at_), text_.size()); }

  [[noreturn]] void malformed(const char* wanted) const {
    const std::string_view rest = text_.substr(at_);
    refuse("its header is damaged: expected " + std::string(wanted) + ", found " +
               (rest.empty() ? "its end" : quoted(rest)),
           save_again);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::string_view> descr_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<std::int64_t>> shape_;
};

}  // namespace

Fields scan_fields(std::string_view text) { return DictScanner(text).scan(); }

}  // namespace tilewalk::npy
