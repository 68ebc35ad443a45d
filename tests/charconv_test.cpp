// The C library's way against <charconv>'s, where both are there.
#include "sim/charconv.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <random>

namespace tilewalk {
namespace {

template <class Number, class Bits>
void compare_random_numbers() {
  std::mt19937_64 random(1);
  for (int n = 0; n < 20'000; ++n) {
    const auto value = std::bit_cast<Number>(static_cast<Bits>(random()));
    if (value != value) continue;
    const std::string text = number_text(value);
    REQUIRE(text_with_c(value) == text);
    Number read{};
    const auto [end, error] = read_with_c(text.data(), text.data() + text.size(), read);
    REQUIRE(error == std::errc{});
    REQUIRE(end == text.data() + text.size());
    REQUIRE(read == value);
  }
}

}  // namespace

TEST_CASE("random numbers: the same shortest text, which reads back") {
  compare_random_numbers<float, std::uint32_t>();
  compare_random_numbers<double, std::uint64_t>();
  for (const float value : {0.0f, -0.0f, 1.0f, 0.1f, 100000.0f, 123456.0f, 1e20f, 0.0001f, 1e-40f})
    CHECK(text_with_c(value) == number_text(value));
}

TEST_CASE("texts that are no numbers, or only begin as one: the same answers") {
  for (const std::string text :
       {"",   "-",   "+1",  " 1",   "1 ",  "1e",    "1e5",    "0x10", "-0x1p3", "1.5.5", ".5",
        "5.", "abc", "inf", "-inf", "nan", "1e999", "1e-999", "--1",  "-+1",    "12)",   "1e+2"}) {
    CAPTURE(text);
    double one = 7, other = 7;
    const auto expected = std::from_chars(text.data(), text.data() + text.size(), one);
    const auto found = read_with_c(text.data(), text.data() + text.size(), other);
    CHECK(found.ec == expected.ec);
    CHECK(found.ptr == expected.ptr);
    CHECK((one == other || (one != one && other != other)));
  }
}

}  // namespace tilewalk
