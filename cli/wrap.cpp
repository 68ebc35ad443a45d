#include "cli/wrap.h"

#include "cli/table.h"

namespace tilewalk {
namespace {

constexpr std::u32string_view closing = U"，。；：？！、）》”’」』％…", opening = U"（《“‘「『";

class Wrapper {
 public:
  Wrapper(std::size_t width, const std::string& first)
      : width_(width), indent_(display_width(first), ' '), line_(first) {}

  void take(std::string_view text) {
    while (!text.empty()) {
      const std::string_view before = text;
      const char32_t c = take_code_point(text);
      if (c == ' ')
        end_word(true);
      else
        take(c, before.substr(0, before.size() - text.size()));
    }
  }
  std::string finish() {
    end_word(false);
    return done_ + line_ + "\n";
  }

 private:
  void take(char32_t c, std::string_view bytes) {
    const bool wide = display_width(bytes) == 2, closes = closing.find(c) != std::u32string_view::npos;
    if (!closes && (wide || after_wide_) && !after_opening_) end_word(false);
    word_ += bytes;
    after_wide_ = wide || closes;
    after_opening_ = opening.find(c) != std::u32string_view::npos;
  }
  void end_word(bool space) {
    if (!word_.empty()) place();
    space_ = space_ || (space && !begins_);
    after_wide_ = after_opening_ = false;
  }
  void place() {
    if (!begins_ && display_width(line_) + space_ + display_width(word_) > width_) {
      done_ += line_ + "\n";
      line_ = indent_;
      space_ = false;
    }
    line_ += (space_ ? " " : "") + word_;
    word_.clear();
    space_ = begins_ = false;
  }

  std::size_t width_;
  std::string indent_, line_, done_, word_;
  bool begins_ = true, space_ = false, after_wide_ = false, after_opening_ = false;
};

}  // namespace

std::string wrap(std::string_view text, std::size_t width, const std::string& first) {
  Wrapper wrapper(width, first);
  wrapper.take(text);
  return wrapper.finish();
}

}  // namespace tilewalk
