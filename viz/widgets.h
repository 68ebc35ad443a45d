// The few controls that views share, drawn into boxes.
#pragma once

#include <initializer_list>
#include <string_view>

#include "viz/box.h"
#include "viz/frame.h"
#include "viz/text.h"

namespace tilewalk::viz {

// Where a number comes from. Every number on the screen stands under one of these.
enum class Origin : std::uint8_t { theory, model, measured, published };

enum class Icon : std::uint8_t { start, back, play, pause, forward, end };

// `on`: filled with the colour of the selection. Each returns whether it was clicked. `id` is unique in its
// window.
bool text_button(const Frame& frame, const Box& box, const char* id, std::string_view label, bool on = false);
bool icon_button(const Frame& frame, const Box& box, const char* id, Icon icon, std::string_view hint,
                 bool on = false);

// How wide a button with this label wants to be.
float button_width(const Frame& frame, std::string_view label);

// A pill that says where the numbers beside it come from, at the right end of the box. Returns the box
// without it.
Box origin_badge(const Frame& frame, Box box, Origin origin);

// A label at the left and a number with its unit at the right, in the figures of the monospaced font.
void labelled_number(const Frame& frame, const Box& box, std::string_view label, std::string_view number,
                     std::string_view unit, Colour colour);

// The rest of the current window, from the cursor on; at least this large (lengths at scale 1). What does not
// fit scrolls. To be called once, before anything is drawn into it.
Box content_box(const Frame& frame, float least_width, float least_height);

// An invisible button; false for an empty box.
bool clicked(const char* id, const Box& box);

// Diagonal lines: what has not arrived, or is never there.
void hatch(const Box& box, Colour colour, float distance, float thickness = 1);

}  // namespace tilewalk::viz
