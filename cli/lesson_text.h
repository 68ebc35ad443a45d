// A lesson's steps as text and as JSON.
#pragma once

#include "cli/run_json.h"
#include "lessons/fill.h"
#include "lessons/lessons.h"

namespace tilewalk {

// Breaks lines at `width` columns, between words or Chinese characters; formulas and tables stay.
std::string wrapped(const Filled& filled, std::size_t width);

// Title, place in the run, and text. `with_question`: what is asked too.
std::string step_text(const Lesson& lesson, const ShownStep& step, Language language, bool with_question);
std::string question_text(const ShownPrediction& prediction);
// The answer and why, and why each wrong answer is wrong.
std::string answer_text(const ShownPrediction& prediction, Language language);

Json step_json(const ShownStep& step);

}  // namespace tilewalk
