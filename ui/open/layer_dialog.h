// The dialogs that ask what a file does not say: which attention layer with how many heads, and what true means in a
// boolean mask, both ways as pictures. The question about a mask is a LayerQuestion without candidates.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// Possible numbers of heads for a width, ascending; only those with usual head sizes if there are many.
std::vector<Index> possible_heads(Index d_model);

std::string layer_dialog_text(const View& view);
void draw_layer_dialog(const Frame& frame, Rect place);

void draw_polarity_dialog(const Frame& frame, Rect place);

}  // namespace headlight
