// The dialog that asks for an attention layer of a file and its number of heads.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// The candidates whose names contain `search`, ignoring case.
std::vector<std::size_t> found_layers(const LayerQuestion& question, const std::string& search);
/// Possible numbers of heads for a width, ascending; only those with usual head sizes if there are many.
std::vector<Index> possible_heads(Index d_model);

std::string layer_dialog_text(const View& view);
void draw_layer_dialog(const Frame& frame, Rect place);

}  // namespace headlight
