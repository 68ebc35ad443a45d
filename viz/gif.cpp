#include "viz/gif.h"

#include <algorithm>
#include <unordered_map>

namespace tilewalk::viz {
namespace {

struct Rectangle {
  int left, top, width, height;
};

void put16(std::string& bytes, int value) {
  bytes += static_cast<char>(value & 0xFF);
  bytes += static_cast<char>(value >> 8 & 0xFF);
}

// What has changed; one pixel where nothing has, because a picture must have one.
Rectangle changed(const Image& before, const Image& now) {
  if (before.pixels.size() != now.pixels.size()) return {0, 0, now.width, now.height};
  int left = now.width, right = -1, top = now.height, bottom = -1;
  for (int y = 0; y < now.height; ++y) {
    for (int x = 0; x < now.width; ++x) {
      const auto at = std::size_t(y) * std::size_t(now.width) + std::size_t(x);
      if (before.pixels[at] == now.pixels[at]) continue;
      left = std::min(left, x), right = std::max(right, x), top = std::min(top, y),
      bottom = std::max(bottom, y);
    }
  }
  if (right < 0) return {0, 0, 1, 1};
  return {left, top, right - left + 1, bottom - top + 1};
}

std::vector<std::uint32_t> cut_out(const Image& image, const Rectangle& r) {
  std::vector<std::uint32_t> pixels;
  for (int y = r.top; y < r.top + r.height; ++y) {
    const auto row = image.pixels.begin() + std::ptrdiff_t(y) * image.width + r.left;
    pixels.insert(pixels.end(), row, row + r.width);
  }
  return pixels;
}

int distance(std::uint32_t a, std::uint32_t b) {
  int sum = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    const int d = int(a >> shift & 0xFF) - int(b >> shift & 0xFF);
    sum += d * d;
  }
  return sum;
}

// The 256 most frequent colours, exactly; others become the nearest of them.
struct Palette {
  std::vector<std::uint32_t> colours;
  std::vector<std::uint8_t> indices;  // of the pixels
};

Palette palette_of(const std::vector<std::uint32_t>& pixels) {
  std::unordered_map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t p : pixels) ++counts[p];
  std::vector<std::pair<std::size_t, std::uint32_t>> order;
  for (const auto& [colour, times] : counts) order.emplace_back(times, colour);
  std::sort(order.rbegin(), order.rend());
  Palette palette;
  std::unordered_map<std::uint32_t, std::uint8_t> index;
  for (const auto& [times, colour] : order) {
    if (palette.colours.size() < 256) {
      index[colour] = static_cast<std::uint8_t>(palette.colours.size());
      palette.colours.push_back(colour);
      continue;
    }
    const auto near = std::min_element(
        palette.colours.begin(), palette.colours.end(),
        [c = colour](std::uint32_t a, std::uint32_t b) { return distance(a, c) < distance(b, c); });
    index[colour] = static_cast<std::uint8_t>(near - palette.colours.begin());
  }
  palette.colours.resize(256, 0);
  for (const std::uint32_t p : pixels) palette.indices.push_back(index[p]);
  return palette;
}

// Codes of growing width, packed into blocks of at most 255 bytes.
class CodeWriter {
 public:
  void put(int code, int width) {
    bits_ |= static_cast<std::uint32_t>(code) << count_;
    count_ += width;
    for (; count_ >= 8; count_ -= 8, bits_ >>= 8) take(static_cast<char>(bits_ & 0xFF));
  }
  std::string finish() {
    if (count_ > 0) take(static_cast<char>(bits_ & 0xFF));
    end_block();
    return blocks_ + '\0';
  }

 private:
  void take(char byte) {
    block_ += byte;
    if (block_.size() == 255) end_block();
  }
  void end_block() {
    if (!block_.empty()) blocks_ += static_cast<char>(block_.size()) + block_;
    block_.clear();
  }
  std::uint32_t bits_ = 0;
  int count_ = 0;
  std::string block_, blocks_;
};

// LZW as GIF has it: 256 colours, a code to clear the table and one to end.
std::string compress(const std::vector<std::uint8_t>& indices) {
  constexpr int clear = 256, end = 257, most = 4096;
  CodeWriter out;
  std::unordered_map<std::uint32_t, int> table;
  int next = end + 1, width = 9, now = indices.empty() ? -1 : indices.front();
  out.put(clear, width);
  for (std::size_t n = 1; n < indices.size(); ++n) {
    const std::uint32_t key = static_cast<std::uint32_t>(now) << 8 | indices[n];
    if (const auto found = table.find(key); found != table.end()) {
      now = found->second;
      continue;
    }
    out.put(now, width);
    now = indices[n];
    if (next == most) {
      out.put(clear, width);
      table.clear();
      next = end + 1;
      width = 9;
      continue;
    }
    table[key] = next++;
    if (next > 1 << width && width < 12) ++width;
  }
  if (now >= 0) out.put(now, width);
  out.put(end, width);
  return out.finish();
}

}  // namespace

void Gif::add(const Image& image, int delay) {
  if (bytes_.empty()) {
    bytes_ = "GIF89a";
    put16(bytes_, image.width);
    put16(bytes_, image.height);
    bytes_ += std::string("\x70\0\0", 3);
    bytes_ += std::string("\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0", 19);  // for ever
  }
  const Rectangle r = changed(before_, image);
  const Palette palette = palette_of(cut_out(image, r));
  bytes_ += "\x21\xF9\x04\x04";  // what follows is drawn over what is there
  put16(bytes_, delay);
  bytes_ += std::string("\0\0", 2);
  bytes_ += ",";
  for (const int value : {r.left, r.top, r.width, r.height}) put16(bytes_, value);
  bytes_ += '\x87';  // a palette of 256 colours
  for (const std::uint32_t colour : palette.colours) {
    for (int shift = 0; shift < 24; shift += 8) bytes_ += static_cast<char>(colour >> shift & 0xFF);
  }
  bytes_ += '\x08';
  bytes_ += compress(palette.indices);
  before_ = image;
}

}  // namespace tilewalk::viz
