// Blocks that cover a number of elements.
#pragma once

#include <cstdint>

namespace tilewalk {

constexpr std::int64_t blocks_of(std::int64_t elements, std::int64_t block) {
  return elements / block + (elements % block != 0);  // elements + block - 1 could overflow
}

}  // namespace tilewalk
