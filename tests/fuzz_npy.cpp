// A libFuzzer target for sim/npy, for use by hand:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. -isystem /usr/include/eigen3
//     tests/fuzz_npy.cpp sim/npy*.cpp sim/error.cpp -o build/fuzz_npy
//   build/fuzz_npy -max_total_time=120 -max_len=4096 FOLDER_OF_NPY_FILES
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sim/error.h"
#include "sim/npy.h"

// Every input is refused in one line, or parses to an array that survives being written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tilewalk;
  try {
    const NpyArray array = parse_npy({reinterpret_cast<const char*>(data), size}, "fuzz.npy");
    const std::string written = format_npy(array.shape, array.values, array.type);
    const NpyArray again = parse_npy(written, "again.npy");
    if (again.shape != array.shape || format_npy(again.shape, again.values, again.type) != written)
      std::abort();
  } catch (const RequestError& error) {
    const std::string_view message = error.what();
    if (!message.starts_with("fuzz.npy: ") || message.find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
