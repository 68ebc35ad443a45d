// What is on the screen, in words: for screen readers, and to copy from.
#pragma once

#include <string>

#include "viz/frame.h"

namespace tilewalk::viz {

// Paragraphs, one a line: the lesson's step and its question, each run and where it stands, what went wrong
// or was done. An answer only once it was given, or asked for.
std::string transcript_of(const Frame& frame);

}  // namespace tilewalk::viz
