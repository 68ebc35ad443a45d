// Numbers as people read them: a true minus sign, few digits, units.
#pragma once

#include <cstdint>
#include <string>

namespace tilewalk::viz {

// "4.174", "−12.35", "3.2e−7", "−∞", "NaN": four digits or so.
std::string number(float value);

// The same in at most this many characters: ".12", "−3.1"; "" where not even one digit fits.
std::string short_number(float value, int characters);

// "96 B", "28.4 KiB", "64 KiB"; decimal units for what is sold in them: "40 MB".
std::string amount(std::uint64_t bytes);

// "1 555 GB/s".
std::string rate(double bytes_a_second);

}  // namespace tilewalk::viz
