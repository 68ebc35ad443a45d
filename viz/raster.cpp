// A software rasteriser for Dear ImGui's triangles. Edges are smooth because Dear ImGui draws a fringe of
// falling opacity around them; pixels are covered by the same rule as on a GPU, so triangles that meet leave
// no seam.
#include <algorithm>
#include <cmath>

#include "viz/image.h"

namespace tilewalk::viz {
namespace {

struct Texture {
  const unsigned char* alpha;
  int width, height;

  float texel(int x, int y) const {
    return float(alpha[std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1)]);
  }
  // Linear between texels, 0 to 1.
  float at(float u, float v) const {
    const float x = u * float(width) - 0.5f, y = v * float(height) - 0.5f;
    const float left = std::floor(x), top = std::floor(y), fx = x - left, fy = y - top;
    const int ix = int(left), iy = int(top);
    const float above = texel(ix, iy) * (1 - fx) + texel(ix + 1, iy) * fx;
    const float below = texel(ix, iy + 1) * (1 - fx) + texel(ix + 1, iy + 1) * fx;
    return (above * (1 - fy) + below * fy) / 255;
  }
};

struct Rgba {
  float c[4];
};

Rgba rgba_of(ImU32 colour) {
  return {{float(colour & 0xFF), float(colour >> 8 & 0xFF), float(colour >> 16 & 0xFF),
           float(colour >> 24) / 255}};
}

void blend(std::uint32_t& pixel, const Rgba& colour, float coverage) {
  const float alpha = colour.c[3] * coverage;
  std::uint32_t result = 0xFF000000u;
  for (int n = 0; n < 3; ++n) {
    const float old = float(pixel >> (8 * n) & 0xFF);
    result |= static_cast<std::uint32_t>(old + (colour.c[n] - old) * alpha + 0.5f) << (8 * n);
  }
  pixel = result;
}

// Positive on the inner side of the edge between two corners, for triangles that run clockwise on the screen.
struct Edge {
  float a, b, x0, y0;
  bool takes_border;  // the top-left rule: of two triangles that share an edge, one owns its pixels

  // Measured from the same corner whichever way the edge runs: else both triangles could lose a pixel to
  // rounding.
  Edge(ImVec2 from, ImVec2 to)
      : a(from.y - to.y), b(to.x - from.x), takes_border(a > 0 || (a == 0 && b > 0)) {
    const bool first = from.x < to.x || (from.x == to.x && from.y < to.y);
    x0 = first ? from.x : to.x;
    y0 = first ? from.y : to.y;
  }
  float at(float x, float y) const { return a * (x - x0) + b * (y - y0); }
  bool inside(float value) const { return value > 0 || (value == 0 && takes_border); }
};

struct Clip {
  int left, top, right, bottom;
};

class Painter {
 public:
  Painter(Image& image, const Texture& texture, ImVec2 white)
      : image_(image), texture_(texture), white_(white) {}

  void triangle(const ImDrawVert& a, const ImDrawVert& b, const ImDrawVert& c, const Clip& clip) {
    const float area = (b.pos.x - a.pos.x) * (c.pos.y - a.pos.y) - (b.pos.y - a.pos.y) * (c.pos.x - a.pos.x);
    if (area == 0) return;
    area > 0 ? fill(a, b, c, area, clip) : fill(a, c, b, -area, clip);
  }

 private:
  void fill(const ImDrawVert& a, const ImDrawVert& b, const ImDrawVert& c, float area, const Clip& clip) {
    const auto low = [](float x, float y, float z) { return int(std::floor(std::min({x, y, z}))); };
    const auto high = [](float x, float y, float z) { return int(std::ceil(std::max({x, y, z}))); };
    const int left = std::max(clip.left, low(a.pos.x, b.pos.x, c.pos.x));
    const int right = std::min(clip.right, high(a.pos.x, b.pos.x, c.pos.x));
    const int top = std::max(clip.top, low(a.pos.y, b.pos.y, c.pos.y));
    const int bottom = std::min(clip.bottom, high(a.pos.y, b.pos.y, c.pos.y));
    const Edge of_a(b.pos, c.pos), of_b(c.pos, a.pos), of_c(a.pos, b.pos);
    const bool one_colour = a.col == b.col && b.col == c.col,
               plain = is_white(a) && is_white(b) && is_white(c);
    const Rgba ca = rgba_of(a.col), cb = rgba_of(b.col), cc = rgba_of(c.col);
    for (int y = top; y < bottom; ++y) {
      std::uint32_t* row = &image_.pixels[std::size_t(y) * std::size_t(image_.width)];
      for (int x = left; x < right; ++x) {
        const float px = float(x) + 0.5f, py = float(y) + 0.5f;
        const float ea = of_a.at(px, py), eb = of_b.at(px, py), ec = of_c.at(px, py);
        if (!of_a.inside(ea) || !of_b.inside(eb) || !of_c.inside(ec)) continue;
        const float wa = ea / area, wb = eb / area, wc = ec / area;
        const Rgba colour = one_colour ? ca : between(ca, cb, cc, wa, wb, wc);
        const float coverage = plain ? 1
                                     : texture_.at(a.uv.x * wa + b.uv.x * wb + c.uv.x * wc,
                                                   a.uv.y * wa + b.uv.y * wb + c.uv.y * wc);
        blend(row[x], colour, coverage);
      }
    }
  }

  static Rgba between(const Rgba& a, const Rgba& b, const Rgba& c, float wa, float wb, float wc) {
    Rgba mix;
    for (int n = 0; n < 4; ++n) mix.c[n] = a.c[n] * wa + b.c[n] * wb + c.c[n] * wc;
    return mix;
  }
  bool is_white(const ImDrawVert& v) const { return v.uv.x == white_.x && v.uv.y == white_.y; }

  Image& image_;
  const Texture& texture_;
  ImVec2 white_;  // texture coordinates of what is not textured
};

Texture texture_of(const ImFontAtlas& atlas) {
  return {atlas.TexPixelsAlpha8, atlas.TexWidth, atlas.TexHeight};
}

}  // namespace

Image rasterise(const ImDrawData& data, const ImFontAtlas& atlas) {
  Image image{int(data.DisplaySize.x), int(data.DisplaySize.y), {}};
  image.pixels.assign(std::size_t(image.width) * std::size_t(image.height), 0xFF000000u);
  const Texture texture = texture_of(atlas);
  Painter painter(image, texture, atlas.TexUvWhitePixel);
  for (int n = 0; n < data.CmdListsCount; ++n) {
    const ImDrawList& list = *data.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      const ImVec4& r = command.ClipRect;
      const Clip clip{std::max(0, int(r.x)), std::max(0, int(r.y)), std::min(image.width, int(r.z)),
                      std::min(image.height, int(r.w))};
      const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
      const ImDrawVert* vertex = list.VtxBuffer.Data + command.VtxOffset;
      for (unsigned i = 0; i + 2 < command.ElemCount; i += 3)
        painter.triangle(vertex[index[i]], vertex[index[i + 1]], vertex[index[i + 2]], clip);
    }
  }
  return image;
}

}  // namespace tilewalk::viz
