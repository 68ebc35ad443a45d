// Planted faults: broken schedules to learn from and to test the checks with. A fault rewrites the events of
// a sound schedule, so that schedules stay as the papers have them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sim/event.h"
#include "sim/plan.h"

namespace tilewalk {

struct Fault {
  std::string_view name, title;
  std::string_view needs;  // what a run must have for the fault to show, in words
  bool (*can_show)(const Plan&);
  int (*copies)(Event&, const Plan&);  // changes the event; how often it is emitted: 0, 1 or 2 times
};

std::span<const Fault> faults();
const Fault& fault_named(std::string_view name);  // throws RequestError with the nearest name

// Throws RequestError unless the algorithm has the fault and the run is one in which it shows.
void check_applies(const Fault& fault, const Plan& plan);

}  // namespace tilewalk
