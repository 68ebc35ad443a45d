// How long work tells that it goes on, and is told to stop.
#pragma once

#include <functional>

namespace tilewalk {

// Called now and then with the part done, 0 to 1. What it throws ends the work and reaches the caller.
using Progress = std::function<void(double)>;

}  // namespace tilewalk
