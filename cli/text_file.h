// Small text files that users write.
#pragma once

#include <cstddef>
#include <string>

namespace tilewalk {

// All of a file. Throws RequestError "shown: why; remedy" when it cannot be read or is larger than `most`
// bytes; `shown` is what the user typed, such as "--arch my.toml".
std::string read_text_file(const std::string& path, const std::string& shown, std::size_t most);

}  // namespace tilewalk
