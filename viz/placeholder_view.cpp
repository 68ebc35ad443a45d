// Stands in the table for a view that is not built yet.
#include "viz/text.h"
#include "viz/views.h"

namespace tilewalk::viz {

void draw_placeholder(const Frame& frame, Commands&) {
  paragraph(frame.text(Str::placeholder), frame.theme.muted, frame.fonts.body);
}

}  // namespace tilewalk::viz
