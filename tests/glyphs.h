// The characters that TrueType files have glyphs for, read from their cmap tables.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace tilewalk {

class FontFile {
 public:
  explicit FontFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  void add_to(std::set<char32_t>& characters) const {
    const std::size_t cmap = table("cmap");
    for (std::size_t n = 0; n < two(cmap + 2); ++n) {
      const std::size_t at = cmap + four(cmap + 4 + 8 * n + 4);
      if (two(at) == 4) segments(at, characters);
      if (two(at) == 12) groups(at, characters);
    }
  }

 private:
  std::size_t one(std::size_t at) const { return static_cast<std::uint8_t>(bytes_.at(at)); }
  std::size_t two(std::size_t at) const { return one(at) << 8 | one(at + 1); }
  std::size_t four(std::size_t at) const { return two(at) << 16 | two(at + 2); }
  std::size_t table(const std::string& tag) const {
    for (std::size_t n = 0; n < two(4); ++n) {
      if (bytes_.compare(12 + 16 * n, 4, tag) == 0) return four(12 + 16 * n + 8);
    }
    return 0;
  }
  // Format 4. A subset's segments hold nothing but characters with glyphs.
  void segments(std::size_t at, std::set<char32_t>& characters) const {
    const std::size_t count = two(at + 6) / 2, ends = at + 14, starts = ends + 2 * count + 2;
    for (std::size_t n = 0; n < count; ++n) {
      for (std::size_t c = two(starts + 2 * n); c <= two(ends + 2 * n) && c < 0xFFFF; ++c)
        characters.insert(static_cast<char32_t>(c));
    }
  }
  void groups(std::size_t at, std::set<char32_t>& characters) const {
    for (std::size_t n = 0; n < four(at + 12); ++n) {
      const std::size_t group = at + 16 + 12 * n;
      for (std::size_t c = four(group); c <= four(group + 4); ++c)
        characters.insert(static_cast<char32_t>(c));
    }
  }

  std::string bytes_;
};

inline std::set<char32_t> glyphs_of_fonts(const std::filesystem::path& folder) {
  std::set<char32_t> characters;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".ttf") FontFile(entry.path()).add_to(characters);
  }
  return characters;
}

}  // namespace tilewalk
