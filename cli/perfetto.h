// A run for Perfetto (https://ui.perfetto.dev) and chrome://tracing: what each SM does, in modelled time.
#pragma once

#include <functional>
#include <string_view>

#include "sim/plan.h"
#include "sim/progress.h"

namespace tilewalk {

// The JSON, piece by piece. CTAs go to the SMs in turn, kernels run one after another, and within a CTA one
// operation follows another. An operation takes the longer of its HBM bytes at an equal share of the
// bandwidth, and of its work at one SM's rates.
void write_perfetto(const Plan& plan, const std::function<void(std::string_view)>& write,
                    const Progress& progress);

}  // namespace tilewalk
