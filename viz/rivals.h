// What other algorithms would do on the same inputs: counted, without values.
#pragma once

#include "viz/run_request.h"

namespace tilewalk::viz {

// The run's algorithm first, then every other that computes the same and whose tiles fit. Fills
// RunFacts::rivals and, for a run that stands alone, RunFacts::beside.
void count_rivals(RunFacts& facts, const Progress& progress);

// Counts of `beside` at the same share of its events that `run` has done.
Counts counts_as_far(Timeline& beside, const Timeline& run, const Progress& progress);

}  // namespace tilewalk::viz
