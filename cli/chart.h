// Line charts as SVG, with logarithmic axes: what `tilewalk sweep --svg F` writes.
#pragma once

#include <string>
#include <vector>

namespace tilewalk {

// One line. A point whose x or y is not a positive, finite number is a gap in it.
struct Series {
  std::string name;
  std::vector<double> x, y;  // of equal length, drawn in this order
  bool dashed = false;       // dashed with hollow marks, such as theory beside a model
  int colour_of = -1;        // the index of an earlier series whose colour and mark it shares; -1: its own
};

// A unit writes an axis' numbers with its prefixes: "B" gives 1 MB (1e6 bytes; 64 KiB on an axis of powers of
// two), "s" gives 1 ms, "" gives 65 536.
struct ChartText {
  std::string title;
  std::string subtitle;     // where the numbers come from, such as "model: counted by the simulator"
  std::string x_title;      // with the unit in words, such as "sequence length N (tokens)"
  std::string y_title;      // such as "HBM bytes"
  std::string description;  // read out by screen readers, before one sentence a series
  std::string x_unit = "";
  std::string y_unit = "B";
};

// The chart as a complete SVG file, 960 x 600 units, to be scaled at will. The same arguments give the same
// bytes. Series differ by colour, mark and, if dashed, dash; beyond 8 they repeat. An axis whose values are
// all powers of two (at least 1) is marked in powers of two, unless it is the y axis with a unit; others in
// decimal steps. Throws std::invalid_argument if x and y of a series differ in length.
std::string svg_chart(const ChartText& text, const std::vector<Series>& series);

}  // namespace tilewalk
