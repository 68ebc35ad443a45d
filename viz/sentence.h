// A step in words, in both languages: the transcript and the status line.
#pragma once

#include <string>

#include "sim/event.h"
#include "sim/plan.h"
#include "viz/moment.h"
#include "viz/settings.h"

namespace tilewalk::viz {

// "load K 2 (64×64, 8 192 B) from HBM to SRAM".
std::string event_words(const Event& event, const Plan& plan, Language language);

// "query block 3, key block 1".
std::string place_words(const Event& event, const Plan& plan, Language language);

// "Query block 3, key block 1: load V 1 (…). Next: s = q·kᵀ (…)."
// `tell_next`: else only what was done, where a lesson asks what comes.
std::string sentence(const Moment& moment, const Plan& plan, Language language, bool tell_next = true);

// "Q", "ℓ", "α", "m̃": a tensor's or tile's name as the papers write it.
std::string letter_of(std::string_view name);

}  // namespace tilewalk::viz
