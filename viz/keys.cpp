#include "viz/keys.h"

#include "viz/platform.h"

namespace tilewalk::viz {
namespace {

constexpr std::pair<char32_t, Key> by_character[] = {{U'1', Key::digit1},
                                                     {U'2', Key::digit2},
                                                     {U'3', Key::digit3},
                                                     {U'4', Key::digit4},
                                                     {U'?', Key::question},
                                                     {U'？', Key::question},
                                                     {U'[', Key::left_bracket},
                                                     {U']', Key::right_bracket},
                                                     {U'a', Key::a},
                                                     {U'd', Key::d},
                                                     {U'f', Key::f},
                                                     {U'g', Key::g},
                                                     {U'l', Key::l},
                                                     {U'p', Key::p},
                                                     {U'r', Key::r},
                                                     {U's', Key::s},
                                                     {U't', Key::t}};

}  // namespace

std::span<const KeyRow> key_table() {
  static const KeyRow table[] = {
      {{Key::space}, "Space", Str::key_play, TogglePlay{}},
      {{Key::right}, "→", Str::key_forward, Step{1}},
      {{Key::left}, "←", Str::key_back, Step{-1}},
      {{Key::home}, "Home", Str::key_start, SeekEnd{false}},
      {{Key::end}, "End", Str::key_end, SeekEnd{true}},
      {{Key::digit1}, "1", Str::key_step_operation, SetStepSize{StepSize::operation}},
      {{Key::digit2}, "2", Str::key_step_tile, SetStepSize{StepSize::tile}},
      {{Key::digit3}, "3", Str::key_step_inner_loop, SetStepSize{StepSize::inner_loop}},
      {{Key::digit4}, "4", Str::key_step_kernel, SetStepSize{StepSize::kernel}},
      {{Key::left_bracket}, "[", Str::key_slower, ChangeSpeed{-1}},
      {{Key::right_bracket}, "]", Str::key_faster, ChangeSpeed{1}},
      {{Key::page_down}, "PageDown", Str::key_page_forward, TurnPage{1}},
      {{Key::page_up}, "PageUp", Str::key_page_back, TurnPage{-1}},
      {{Key::l}, "L", Str::key_lessons, CloseLesson{}},
      {{Key::digit1, true}, "Ctrl 1 … 4", Str::key_choice, AnswerPrediction{"a"}},
      {{Key::digit2, true}, "", Str::key_choice, AnswerPrediction{"b"}},
      {{Key::digit3, true}, "", Str::key_choice, AnswerPrediction{"c"}},
      {{Key::digit4, true}, "", Str::key_choice, AnswerPrediction{"d"}},
      {{Key::r}, "R", Str::show_answer, RevealAnswer{}},
      {{Key::a}, "A", Str::key_answers, ToggleAnswers{}},
      {{Key::up}, "↑", Str::key_row_up, MoveRow{-1}},
      {{Key::down}, "↓", Str::key_row_down, MoveRow{1}},
      {{Key::f}, "F", Str::key_row_follow, SelectRow{-1}},
      {{Key::up, true}, "Ctrl ↑", Str::key_field_up, MoveField{-1}},
      {{Key::down, true}, "Ctrl ↓", Str::key_field_down, MoveField{1}},
      {{Key::left, true}, "Ctrl ←", Str::key_field_less, ChangeField{-1}},
      {{Key::right, true}, "Ctrl →", Str::key_field_more, ChangeField{1}},
      {{Key::c, true}, "Ctrl C", in_page ? Str::key_copy_link : Str::key_copy, CopyCall{}},
      {{Key::g}, "G", Str::key_go_to, FocusGoTo{}},
      {{Key::d}, "D", Str::first_difference, SeekDivergence{}},
      {{Key::s}, "S", Str::key_save, SaveImage{""}},
      {{Key::t}, "T", Str::key_next_tile, NextTile{}},
      {{Key::tab}, "Tab", Str::key_next_view, NextView{1}},
      {{Key::tab, false, true}, "Shift Tab", Str::key_previous_view, NextView{-1}},
      {{Key::f2}, "F2", Str::key_language, ToggleLanguage{}},
      {{Key::f3}, "F3", Str::key_theme, NextTheme{}},
      {{Key::plus, true}, "Ctrl +", Str::key_larger, ChangeScale{1}},
      {{Key::minus, true}, "Ctrl −", Str::key_smaller, ChangeScale{-1}},
      {{Key::digit0, true}, "Ctrl 0", Str::key_usual_size, ChangeScale{0}},
      {{Key::p}, "P", Str::key_projector, ToggleProjector{}},
      {{Key::question}, "?", Str::key_keys, ToggleKeys{}},
      {{Key::escape}, "Esc", Str::key_close, CloseOverlay{}},
      {{Key::q, true}, "Ctrl Q", Str::key_quit, Quit{}},
  };
  return table;
}

std::optional<Key> key_of_character(char32_t character) {
  const char32_t small = character >= U'A' && character <= U'Z' ? character - U'A' + U'a' : character;
  for (const auto& [known, key] : by_character) {
    if (known == small) return key;
  }
  return std::nullopt;
}

bool needs_ctrl(Key key) {
  return key == Key::plus || key == Key::minus || key == Key::digit0 || key == Key::q || key == Key::c ||
         (key >= Key::digit1 && key <= Key::digit4);
}

const KeyRow* row_of(const KeyPress& press) {
  for (const KeyRow& row : key_table()) {
    if (row.press == press) return &row;
  }
  return nullptr;
}

}  // namespace tilewalk::viz
