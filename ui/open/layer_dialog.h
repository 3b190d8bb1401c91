// The dialog that asks which attention of a file is meant, and into how many heads it is cut.
#pragma once

#include "ui/frame/frame.h"
#include "ui/geometry/rect.h"

namespace headlight {

/// The candidates whose names hold `search`, capitals or not.
std::vector<std::size_t> found_layers(const LayerQuestion& question, const std::string& search);
/// How many heads a width may be cut into, the fewest first, those of common sizes only where there are many.
std::vector<Index> possible_heads(Index d_model);

std::string layer_dialog_text(const View& view);
void draw_layer_dialog(const Frame& frame, Rect place);

}  // namespace headlight
