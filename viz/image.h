// Pictures without a window: what Dear ImGui drew, as pixels or as an SVG.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <vector>

#include "viz/app.h"
#include "viz/viewer.h"

namespace tilewalk::viz {

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;  // rows from the top, 0xAABBGGRR
};

// Paints the triangles as a GPU would. The atlas is the only texture.
Image rasterise(const ImDrawData& data, const ImFontAtlas& atlas);

std::string png_of(const Image& image);  // the file's bytes

// Draws what the app shows now, in a context of its own, and returns the file's bytes.
std::string picture_of(App& app, ImVec2 size, PictureKind kind);
PictureKind kind_of(std::string_view path);  // by its ending; a PNG unless it is .svg

// Shapes as polygons, glyphs as outlines; it scales without loss, and needs no font where it is shown.
std::string svg_of(const ImDrawData& data, const ImFontAtlas& atlas);

}  // namespace tilewalk::viz
