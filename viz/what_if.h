// What can be changed about the runs on the screen, as a table of fields. A field reads and changes a request
// in words; it draws nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "viz/run_request.h"
#include "viz/strings.h"

namespace tilewalk::viz {

struct WhatIfField {
  Str label, hint;
  std::string (*value)(const RunRequest& request);
  // Values to choose from, in order; numbers ascend. Empty: the field says something and cannot be changed.
  std::vector<std::string> (*choices)(const RunRequest& request);
  // Whether the words mean something. What they ask for need not fit: opening the run says so.
  bool (*set)(RunRequest& request, std::string_view words);
  bool typed = false;  // other values than the choices mean something too
};

std::span<const WhatIfField> what_if_fields();

// The requests with one field of each set; empty when the words mean nothing.
std::vector<RunRequest> with_value(std::span<const RunRequest> requests, const WhatIfField& field,
                                   std::string_view words);
// The same with the next or previous choice; empty at the last one.
std::vector<RunRequest> with_next(std::span<const RunRequest> requests, const WhatIfField& field,
                                  int direction);

// With this algorithm beside the others, or without it. At most three, at least one.
std::vector<RunRequest> with_algorithm(std::span<const RunRequest> requests, std::string_view name);

// A head's first rows, as many as the problem asks for and the head has; everything else as the head's.
void take_head(RunRequest& request, std::string_view head);

}  // namespace tilewalk::viz
