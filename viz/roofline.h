// The roofline: FLOP/s over FLOPs per HBM byte, both logarithmic, with algorithms as points below the roof.
#pragma once

#include <string>
#include <vector>

#include "viz/widgets.h"

namespace tilewalk::viz {

struct RooflinePoint {
  std::string label;
  double intensity, rate;  // FLOP/byte, FLOP/s
  bool strong;             // of a run on the screen
};

struct Roofline {
  double peak, bandwidth;  // FLOP/s, byte/s
  std::vector<RooflinePoint> points;
};

Roofline roofline_of(const Frame& frame);

void draw_roofline(const Frame& frame, const Box& box, const Roofline& roofline);

}  // namespace tilewalk::viz
