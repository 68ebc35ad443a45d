#include <stb_image_write.h>

#include "viz/image.h"

namespace tilewalk::viz {

std::string png_of(const Image& image) {
  std::string bytes;
  const auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  stbi_write_png_to_func(append, &bytes, image.width, image.height, 4, image.pixels.data(), image.width * 4);
  return bytes;
}

}  // namespace tilewalk::viz
