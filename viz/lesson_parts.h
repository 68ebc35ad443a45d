// The parts of the lesson view. Each draws from the top of the box down, as wide as it is, and returns the
// height that it took.
#pragma once

#include "viz/box.h"
#include "viz/frame.h"
#include "viz/lesson_book.h"

namespace tilewalk::viz {

// All lessons, with what was answered in each.
float draw_lesson_list(const Frame& frame, const LessonFrame& book, const Box& box, Commands& commands);

// The question of the step, and what became of it.
float draw_prediction(const Frame& frame, const LessonFrame& book, const Box& box, Commands& commands);

}  // namespace tilewalk::viz
