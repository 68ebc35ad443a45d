// The run that a trace or a recording says it is of, from its header.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "viz/run_request.h"

namespace tilewalk::viz {

using Header = std::vector<std::pair<std::string, std::string>>;

// Throws RequestError when the header asks for what this program cannot open again, such as inputs of files.
RunRequest request_of_header(const Header& header, const std::string& name);

RunRequest request_of_trace(const std::string& path);  // reads the header alone

// Q, K and V of three .npy files, by the letters in their names or in this order.
RunRequest request_of_npy(const std::vector<std::string>& paths);

}  // namespace tilewalk::viz
