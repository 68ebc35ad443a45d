#include "viz/text.h"

#include <cmath>

namespace tilewalk::viz {
namespace {

constexpr std::string_view ellipsis = "…";

const char* begin_of(std::string_view text) { return text.data(); }
const char* end_of(std::string_view text) { return text.data() + text.size(); }

bool is_cjk(char32_t c) { return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xFF00 && c <= 0xFFEF); }

// Must not begin a line.
bool closes(char32_t c) {
  constexpr std::u32string_view closing = U"，。、；：？！）】》”’…—·,.;:!?)]}%";
  return closing.find(c) != std::u32string_view::npos;
}

std::string_view without_last_spaces(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The longest start of the text that fits; at least one character.
std::size_t fitting(std::string_view text, float width, const ImFont* font) {
  std::string_view rest = text;
  take_character(rest);
  std::size_t end = text.size() - rest.size();
  while (!rest.empty()) {
    take_character(rest);
    const std::size_t longer = text.size() - rest.size();
    if (text_width(text.substr(0, longer), font) > width) break;
    end = longer;
  }
  return end;
}

void wrap_line(std::string_view text, float width, const ImFont* font, std::vector<std::string>& lines) {
  while (!text.empty()) {
    std::size_t end = next_break(text);
    if (text_width(without_last_spaces(text.substr(0, end)), font) > width)
      end = fitting(text.substr(0, end), width, font);
    while (end < text.size()) {
      const std::size_t longer = end + next_break(text.substr(end));
      if (text_width(without_last_spaces(text.substr(0, longer)), font) > width) break;
      end = longer;
    }
    lines.emplace_back(without_last_spaces(text.substr(0, end)));
    text.remove_prefix(end);
  }
}

}  // namespace

std::size_t next_break(std::string_view text) {
  std::string_view rest = text;
  char32_t c = take_character(rest);
  while (!rest.empty()) {
    std::string_view ahead = rest;
    const char32_t next = take_character(ahead);
    const bool may_end = c == ' ' || is_cjk(c) || is_cjk(next);
    if (may_end && next != ' ' && !closes(next)) break;
    c = next;
    rest = ahead;
  }
  return text.size() - rest.size();
}

float text_width(std::string_view text, const ImFont* font) {
  return font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, begin_of(text), end_of(text)).x;
}

float line_height(const ImFont* font) { return font->FontSize; }

std::string shortened(std::string_view text, float width, const ImFont* font) {
  if (text_width(text, font) <= width) return std::string(text);
  const float room = width - text_width(ellipsis, font);
  if (room <= 0) return "";
  std::string_view rest = text;
  std::size_t end = 0;
  while (!rest.empty()) {
    take_character(rest);
    const std::size_t longer = text.size() - rest.size();
    if (text_width(text.substr(0, longer), font) > room) break;
    end = longer;
  }
  return std::string(without_last_spaces(text.substr(0, end))) + std::string(ellipsis);
}

bool draw_text(const Frame& frame, const Box& box, std::string_view text, Colour colour, const ImFont* font,
               Align align) {
  const std::string shown = shortened(text, box.width() + 0.5f, font);
  const float spare = box.width() - text_width(shown, font);
  const float x = box.min.x + (align == Align::left ? 0 : align == Align::centre ? spare / 2 : spare);
  const float y = box.min.y + (box.height() - line_height(font)) / 2;
  ImGui::GetWindowDrawList()->AddText(font, font->FontSize, {std::floor(x), std::floor(y)}, colour,
                                      begin_of(shown), end_of(shown));
  const bool whole = shown.size() == text.size();
  if (!whole && ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(box.min, box.max))
    tooltip(frame, text);
  return whole;
}

std::vector<std::string> wrapped(std::string_view text, float width, const ImFont* font) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.empty()) lines.emplace_back();
    wrap_line(line, width, font, lines);
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

float draw_wrapped(const Box& box, std::string_view text, Colour colour, const ImFont* font) {
  const float step = std::ceil(line_height(font) * 1.2f);
  float y = box.min.y;
  for (const std::string& line : wrapped(text, box.width(), font)) {
    ImGui::GetWindowDrawList()->AddText(font, font->FontSize, {std::floor(box.min.x), std::floor(y)}, colour,
                                        begin_of(line), end_of(line));
    y += step;
  }
  return y - box.min.y;
}

void paragraph(std::string_view text, Colour colour, const ImFont* font) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = draw_wrapped({at, {at.x + width, at.y}}, text, colour, font);
  ImGui::Dummy({width, height});
}

void tooltip(const Frame& frame, std::string_view text) {
  const ImFont* font = frame.fonts.body;
  const float most = std::min(frame.px(420), ImGui::GetIO().DisplaySize.x * 0.8f);
  const auto lines = wrapped(text, most, font);
  float width = 0;
  for (const std::string& line : lines) width = std::max(width, text_width(line, font));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {frame.px(10), frame.px(7)});
  ImGui::BeginTooltip();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = draw_wrapped({at, {at.x + std::ceil(width) + 1, at.y}}, text, frame.theme.text, font);
  ImGui::Dummy({std::ceil(width) + 1, height});
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number), text;
  for (std::size_t n = 0; n < digits.size(); ++n) {
    if (n > 0 && (digits.size() - n) % 3 == 0) text += "\u00A0";
    text += digits[n];
  }
  return text;
}

}  // namespace tilewalk::viz
