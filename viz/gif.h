// Animated GIFs: each picture as the rectangle that differs from the one before, with a palette of its own.
#pragma once

#include <string>

#include "viz/image.h"

namespace tilewalk::viz {

class Gif {
 public:
  // `delay`: hundredths of a second that the picture stays. All pictures are of one size.
  void add(const Image& image, int delay);
  std::string bytes() const { return bytes_ + ";"; }

 private:
  Image before_;
  std::string bytes_;
};

}  // namespace tilewalk::viz
