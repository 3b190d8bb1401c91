// The words under a presented pipeline, for the last row: what is computed, its formula, and the same with its numbers.
#pragma once

#include <string>

#include "ui/frame/frame.h"
#include "ui/pipeline/layout.h"

namespace headlight {

/// Over the whole width of `row`. `on_its_way`: what stands for a stage that is not computed yet, "3 of 16 terms".
void draw_caption(const Frame& frame, ImDrawList& list, Stage stage, const std::string& on_its_way, Rect row);

}  // namespace headlight
