// Q, K and V from .npy files, with the sizes that their axes give.
#pragma once

#include "cli/options.h"

namespace tilewalk {

// Sets the request's inputs, sizes and dtype from --q, --k and --v. Flags that say otherwise are refused.
void read_input_files(const RunFlags& flags, Request& request);

}  // namespace tilewalk
