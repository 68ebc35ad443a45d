// A lesson's steps as text and as JSON.
#pragma once

#include "cli/run_json.h"
#include "lessons/fill.h"
#include "lessons/lessons.h"

namespace tilewalk {

// Lines of a page's width; formulas and tables stay as they are. The first line begins with `first`, the
// others are indented as far. Numbers that are no model's bear a mark: origin_lines() says what it means.
std::string text_of(const Filled& filled, const std::string& first = "");
// What the marks on the numbers of the texts mean, and where published and measured ones are from.
std::string origin_lines(const std::vector<const Filled*>& texts, Language language);

// Title, place in the run, text, and what is asked.
std::string step_text(const Lesson& lesson, const ShownStep& step, Language language);
// The answer and why, and why each wrong answer is wrong.
std::string answer_text(const ShownPrediction& prediction, Language language);

Json step_json(const ShownStep& step);

}  // namespace tilewalk
