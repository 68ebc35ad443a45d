// A prediction: the class says what will happen before it sees it.
#include <array>
#include <cmath>

#include "viz/lesson_parts.h"
#include "viz/rich_text.h"
#include "viz/text.h"
#include "viz/widgets.h"

namespace tilewalk::viz {
namespace {

// Draws one part below the other, and knows how far it has got.
class Card {
 public:
  Card(const Frame& frame, const LessonFrame& book, const Box& box, Commands& commands)
      : frame_(frame), book_(book), prediction_(*book.step->prediction), commands_(commands), rest_(box) {}

  float draw() {
    const float top = rest_.min.y;
    heading(frame_.text(Str::predict), frame_.theme.warning);
    text(prediction_.ask, frame_.theme.text);
    if (prediction_.kind == PredictionKind::choice)
      choices();
    else if (!open())
      field();
    if (book_.misunderstood && !open()) line(frame_.text(Str::no_answer), frame_.theme.bad);
    if (book_.given) verdict();
    if (open()) answer();
    button_row();
    return rest_.min.y - top;
  }

 private:
  // What is hidden until the reveal is not: it was answered, or a teacher wants to see it.
  bool open() const { return book_.given || frame_.settings.answers; }

  void gap(float length) { rest_.cut_top(std::round(frame_.px(length))); }
  void heading(std::string_view words, Colour colour) {
    draw_text(frame_, rest_.cut_top(std::round(frame_.px(24))), words, colour, frame_.fonts.body);
    gap(2);
  }
  void line(std::string_view words, Colour colour) {
    gap(4);
    rest_.cut_top(draw_wrapped(rest_, words, colour, frame_.fonts.body));
  }
  void text(const Filled& filled, Colour colour) {
    rest_.cut_top(draw_filled(frame_, rest_, filled, colour));
  }

  // "b)" and its words, as one button.
  void choices() {
    gap(8);
    for (const ShownChoice& choice : prediction_.choices) {
      const bool mine = book_.given && book_.given->text == std::string(1, choice.letter);
      const Colour edge = open() && choice.right ? frame_.theme.good
                          : mine                 ? frame_.theme.bad
                                                 : frame_.theme.line;
      const float pad = std::round(frame_.px(8)), letter = std::round(frame_.px(22));
      const float height = height_of(choice.text, rest_.width() - 2 * pad - letter) + 2 * pad;
      Box row = rest_.cut_top(height);
      const std::string id(1, choice.letter);
      if (clicked(id.c_str(), row) && !open()) commands_.push_back(AnswerPrediction{id});
      const bool hovered = ImGui::IsItemHovered() && !open();
      ImDrawList* list = ImGui::GetWindowDrawList();
      list->AddRectFilled(
          row.min, row.max,
          hovered ? mixed(frame_.theme.panel, frame_.theme.selection, 0.25f) : frame_.theme.panel,
          frame_.px(6));
      list->AddRect(row.min, row.max, edge, frame_.px(6), 0,
                    open() && (choice.right || mine) ? frame_.px(2) : 1);
      row = row.inset(pad);
      const Box mark = row.cut_left(letter);
      draw_text(frame_,
                {mark.min, {mark.max.x, mark.min.y + std::ceil(line_height(frame_.fonts.body) * 1.36f)}}, id,
                frame_.theme.strong, frame_.fonts.body);
      draw_filled(frame_, row, choice.text, frame_.theme.text);
      gap(6);
    }
  }
  // Of one paragraph or several: choices are short.
  float height_of(const Filled& filled, float width) const {
    float height = 0;
    for (const Paragraph& paragraph : filled)
      height += Flow(frame_, paragraph.cells.front(), width, 0).height() +
                (height > 0 ? std::round(frame_.px(9)) : 0);
    return height;
  }

  void field() {
    gap(8);
    const Box box = rest_.cut_top(std::round(frame_.px(30)));
    const Str hint = prediction_.kind == PredictionKind::tile ? Str::your_tile : Str::your_number;
    std::array<char, 96> words{};
    ImGui::SetCursorScreenPos({box.min.x, box.centre().y - ImGui::GetFrameHeight() / 2});
    ImGui::SetNextItemWidth(box.width());
    if (ImGui::InputTextWithHint("##answer", frame_.text(hint).data(), words.data(), words.size(),
                                 ImGuiInputTextFlags_EnterReturnsTrue) &&
        words[0] != 0)
      commands_.push_back(AnswerPrediction{words.data()});
  }

  void verdict() {
    const bool gave_up = book_.given->text.empty(), right = book_.given->right;
    gap(10);
    if (gave_up) return heading(frame_.text(Str::answer_given_up), frame_.theme.strong);
    heading(frame_.text(right ? Str::answer_right : Str::answer_wrong),
            right ? frame_.theme.good : frame_.theme.bad);
    if (prediction_.kind != PredictionKind::choice) line(book_.given->text, frame_.theme.muted);
    if (!right) text(book_.why, frame_.theme.text);
  }

  void answer() {
    gap(8);
    heading(frame_.filled(Str::answer_is, prediction_.answer), frame_.theme.strong);
    text(prediction_.why, frame_.theme.text);
    if (!frame_.settings.answers) return;
    for (const ShownChoice& choice : prediction_.choices) {
      if (!choice.right) wrong_answer(std::string(1, choice.letter), choice.why);
    }
    for (const ShownTrap& trap : prediction_.traps) wrong_answer(trap.answer, trap.why);
  }
  void wrong_answer(const std::string& given, const Filled& why) {
    line(frame_.filled(Str::answer_if, given), frame_.theme.muted);
    text(why, frame_.theme.muted);
  }

  void button_row() {
    if (frame_.settings.answers && !book_.given) return;
    gap(10);
    Box row = rest_.cut_top(std::round(frame_.px(28)));
    const auto label = frame_.text(book_.given ? Str::ask_again : Str::show_answer);
    if (text_button(frame_, row.cut_left(button_width(frame_, label)), "reveal", label))
      commands_.push_back(book_.given ? Command(AskAgain{}) : Command(RevealAnswer{}));
  }

  const Frame& frame_;
  const LessonFrame& book_;
  const ShownPrediction& prediction_;
  Commands& commands_;
  Box rest_;
};

}  // namespace

float draw_prediction(const Frame& frame, const LessonFrame& book, const Box& box, Commands& commands) {
  if (!book.step->prediction) return 0;
  const float pad = std::round(frame.px(12));
  ImDrawList* list = ImGui::GetWindowDrawList();
  // The ground is drawn below what is only then known to be how high.
  list->ChannelsSplit(2);
  list->ChannelsSetCurrent(1);
  const float height = Card(frame, book, box.inset(pad), commands).draw() + 2 * pad;
  list->ChannelsSetCurrent(0);
  const ImVec2 end{box.max.x, box.min.y + height};
  list->AddRectFilled(box.min, end, frame.theme.inset, frame.px(8));
  list->AddRect(box.min, end, with_alpha(frame.theme.warning, 0.7f), frame.px(8));
  list->ChannelsMerge();
  return height;
}

}  // namespace tilewalk::viz
