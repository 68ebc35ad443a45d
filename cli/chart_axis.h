// A chart's logarithmic axes: the values they span, where these lie in the picture, and the ticks beside
// them.
#pragma once

#include <string>
#include <vector>

namespace tilewalk::chart {

struct Tick {
  double value;
  std::string label;  // empty: a fainter line between labelled ones
};

struct Axis {
  double low = 0, high = 1;    // log10 of the values at the ends
  double start = 0, stop = 1;  // where these lie in the picture
  bool has_values = false;     // without values there is nothing to mark
  bool binary = false;         // marked in powers of two
  std::string unit;

  double at(double value) const;
  bool contains(double value) const;
  double length() const;
  std::string label(double value) const;  // as beside its ticks
};

// The axis that spans the values, all of them positive and finite. A binary one needs powers of two.
Axis axis_for(const std::vector<double>& values, std::string unit, bool may_be_binary);

// Lays the axis into the picture; the lowest and highest value stay `inset` away from its ends.
void place(Axis& axis, double start, double stop, double inset);

// The finest of the usual steps whose labels have room.
std::vector<Tick> ticks_of(const Axis& axis, double room_a_label);

// The width of the widest label.
double widest_label(const std::vector<Tick>& ticks);

// 2.5e9 B -> "2.5 GB"; without a unit and below 1e7 "65 536".
std::string decimal_label(double value, const std::string& unit);

}  // namespace tilewalk::chart
