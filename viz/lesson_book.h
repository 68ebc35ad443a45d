// The lesson that is open, the step it is at, and what has been answered. Knows no window and opens no run of
// the viewer's: the App does what the step asks for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lessons/score.h"

namespace tilewalk::viz {

// What views see of it. Valid until the book changes.
struct LessonFrame {
  const Lesson* lesson = nullptr;      // null: none is open
  const ShownStep* step = nullptr;     // of the open lesson
  const Scores* scores = nullptr;      // of all lessons
  const GivenAnswer* given = nullptr;  // null: the step asks nothing, or was not answered yet
  Filled why;                          // of the answer that was given
  bool misunderstood = false;          // what was typed last is no answer
};

class LessonBook {
 public:
  explicit LessonBook(std::string_view scores) : scores_(Scores::read(scores)) { frame_.scores = &scores_; }
  LessonBook(const LessonBook&) = delete;
  LessonBook& operator=(const LessonBook&) = delete;

  // `name`: an id, a number, or the path of a .lesson file. `step`: an id, a number from 1, or "" for where
  // it was left. Throws RequestError, and then leaves the book as it was.
  void open(const std::string& name, const std::string& step, Language language);
  void close();
  bool is_open() const { return lesson_ != nullptr; }
  bool is_own() const;  // of a file, which nobody else has
  // Whether there is such a page.
  bool turn(int direction);
  void set_language(Language language);

  // Answers the step's prediction, unless it was answered before.
  void answer(std::string_view text);
  void give_up();
  void ask_again();
  bool asks() const { return shown_.prediction && !frame_.given; }

  const LessonFrame& frame() const { return frame_; }
  std::string scores() const { return scores_.text(); }

 private:
  void show(const Lesson& lesson, std::size_t step, Language language);
  void look_at_answer();

  Scores scores_;
  Shelf shelf_;
  std::vector<std::unique_ptr<const Lesson>> own_;  // from files
  const Lesson* lesson_ = nullptr;
  Language language_ = Language::en;
  ShownStep shown_;
  LessonFrame frame_;
};

}  // namespace tilewalk::viz
