// Whether a lesson says what its runs give.
#pragma once

#include "lessons/complaints.h"
#include "lessons/lesson.h"
#include "lessons/shelf.h"

namespace tilewalk {

// Runs open, anchors resolve, placeholders fill, checks hold, predictions state what the run gives, no two
// steps show the same, no prose has bare figures, forbidden simplifications or an answer that is asked for.
// All of it is complained of, with lines.
void check_lesson(const Lesson& lesson, Shelf& shelf, Complaints& complaints);

}  // namespace tilewalk
