// Colours as people with and without a colour-vision deficiency see them, and how far apart they are.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace tilewalk {

struct Lab {
  double l, a, b;
};

enum class Vision { normal, protanopia, deuteranopia, tritanopia };

// Machado, Oliveira, Fernandes 2009, severity 1.0; on linear RGB.
constexpr double vision_matrices[4][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

inline double linear(double channel) {
  return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

// `colour` is 0xAABBGGRR.
inline std::array<double, 3> linear_rgb(std::uint32_t colour) {
  return {linear(double(colour & 0xFF) / 255), linear(double(colour >> 8 & 0xFF) / 255),
          linear(double(colour >> 16 & 0xFF) / 255)};
}

inline Lab seen_by(Vision vision, std::uint32_t colour) {
  const auto rgb = linear_rgb(colour);
  const auto& m = vision_matrices[static_cast<int>(vision)];
  double seen[3];
  for (int n = 0; n < 3; ++n)
    seen[n] = std::min(1.0, std::max(0.0, m[n][0] * rgb[0] + m[n][1] * rgb[1] + m[n][2] * rgb[2]));
  // sRGB, D65.
  const double x = 0.4124564 * seen[0] + 0.3575761 * seen[1] + 0.1804375 * seen[2];
  const double y = 0.2126729 * seen[0] + 0.7151522 * seen[1] + 0.0721750 * seen[2];
  const double z = 0.0193339 * seen[0] + 0.1191920 * seen[1] + 0.9503041 * seen[2];
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  const double fx = f(x / 0.95047), fy = f(y), fz = f(z / 1.08883);
  return {116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)};
}

// CIEDE2000 (Sharma, Wu, Dalal 2005).
inline double difference(Lab p, Lab q) {
  constexpr double degree = std::numbers::pi / 180;
  const auto pow7 = [](double c) { return std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7)); };
  const double mean_c = (std::hypot(p.a, p.b) + std::hypot(q.a, q.b)) / 2;
  const double g = 1 + 0.5 * (1 - std::sqrt(pow7(mean_c)));
  const double c1 = std::hypot(p.a * g, p.b), c2 = std::hypot(q.a * g, q.b), c = (c1 + c2) / 2;
  const auto hue = [](double a, double b) {
    const double h = a == 0 && b == 0 ? 0 : std::atan2(b, a) / degree;
    return h < 0 ? h + 360 : h;
  };
  const double h1 = hue(p.a * g, p.b), h2 = hue(q.a * g, q.b);
  double dh = c1 * c2 == 0 ? 0 : h2 - h1;
  if (dh > 180) dh -= 360;
  if (dh < -180) dh += 360;
  double h = (h1 + h2) / 2;
  if (c1 * c2 == 0)
    h = h1 + h2;
  else if (std::abs(h1 - h2) > 180)
    h += h1 + h2 < 360 ? 180 : -180;
  const double t = 1 - 0.17 * std::cos((h - 30) * degree) + 0.24 * std::cos(2 * h * degree) +
                   0.32 * std::cos((3 * h + 6) * degree) - 0.20 * std::cos((4 * h - 63) * degree);
  const double l = (p.l + q.l) / 2, l50 = (l - 50) * (l - 50);
  const double dl = (q.l - p.l) / (1 + 0.015 * l50 / std::sqrt(20 + l50));
  const double dc = (c2 - c1) / (1 + 0.045 * c);
  const double dH = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2 * degree) / (1 + 0.015 * c * t);
  const double turn = 30 * std::exp(-std::pow((h - 275) / 25, 2));
  const double rotation = -2 * std::sqrt(pow7(c)) * std::sin(2 * turn * degree);
  return std::sqrt(dl * dl + dc * dc + dH * dH + rotation * dc * dH);
}

// WCAG's ratio of luminances, 1 to 21.
inline double contrast(std::uint32_t a, std::uint32_t b) {
  const auto luminance = [](std::uint32_t colour) {
    const auto rgb = linear_rgb(colour);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
  };
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace tilewalk
