#include "viz/lesson_book.h"

#include <algorithm>

#include <filesystem>
#include <fstream>

#include "lessons/complaints.h"
#include "lessons/lessons.h"
#include "sim/error.h"
#include "sim/parse.h"

namespace tilewalk::viz {
namespace {

constexpr std::uintmax_t most_bytes = 10 << 20;

Lesson read_file(const std::string& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  std::ifstream file(path, std::ios::binary);
  if (failed || !file) throw RequestError(path + ": cannot be read");
  if (size > most_bytes) throw RequestError(path + ": is too large for a lesson; 10 MB are allowed");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Complaints complaints(path);
  Lesson lesson = read_lesson(text, complaints);
  if (complaints.empty() && !lesson.steps.empty()) return lesson;
  const std::string first = complaints.empty() ? path + ": has no steps" : complaints.text();
  throw RequestError(first.substr(0, first.find('\n')) + "; 'tilewalk lesson check' tells everything");
}

}  // namespace

void LessonBook::open(const std::string& name, const std::string& step, Language language) {
  std::unique_ptr<const Lesson> own;
  if (name.ends_with(".lesson")) own = std::make_unique<const Lesson>(read_file(name));
  const Lesson& lesson = own ? *own : lesson_named(name);
  std::size_t at = 0;
  if (!step.empty()) {
    at = step_named(lesson, step);
  } else if (const LessonStep* left = lesson.find(scores_.of(lesson).at)) {
    at = static_cast<std::size_t>(left - lesson.steps.data());
  }
  show(lesson, at, language);
  if (own) own_.push_back(std::move(own));
}

void LessonBook::show(const Lesson& lesson, std::size_t step, Language language) {
  ShownStep shown = show_step(lesson, step, language, shelf_);
  shown_ = std::move(shown);
  lesson_ = &lesson;
  language_ = language;
  frame_ = {lesson_, &shown_, &scores_, nullptr, {}, false};
  scores_.of(lesson).at = lesson.steps[step].id;
  look_at_answer();
}

void LessonBook::look_at_answer() {
  const auto& answers = scores_.of(*lesson_).answers;
  const auto found = answers.find(shown_.step->id);
  frame_.given = shown_.prediction && found != answers.end() ? &found->second : nullptr;
  frame_.why = frame_.given ? judge(*shown_.prediction, frame_.given->text).why : Filled{};
}

bool LessonBook::is_own() const {
  return std::any_of(own_.begin(), own_.end(), [&](const auto& own) { return own.get() == lesson_; });
}

void LessonBook::close() {
  lesson_ = nullptr;
  shown_ = {};
  frame_ = {nullptr, nullptr, &scores_, nullptr, {}, false};
}

bool LessonBook::turn(int direction) {
  if (!lesson_) return false;
  const auto next = static_cast<std::ptrdiff_t>(shown_.index) + direction;
  if (next < 0 || next >= static_cast<std::ptrdiff_t>(lesson_->steps.size())) return false;
  show(*lesson_, static_cast<std::size_t>(next), language_);
  return true;
}

void LessonBook::set_language(Language language) {
  if (lesson_ && language != language_) show(*lesson_, shown_.index, language);
}

void LessonBook::answer(std::string_view text) {
  if (!lesson_ || !asks()) return;
  frame_.misunderstood = !scores_.answer(*lesson_, shown_, text).understood;
  look_at_answer();
}

void LessonBook::give_up() {
  if (!lesson_ || !asks()) return;
  scores_.give_up(*lesson_, shown_);
  look_at_answer();
}

void LessonBook::ask_again() {
  if (!lesson_) return;
  scores_.of(*lesson_).answers.erase(shown_.step->id);
  frame_.misunderstood = false;
  look_at_answer();
}

}  // namespace tilewalk::viz
