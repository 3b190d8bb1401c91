// The caption of a presented pipeline: the stage being computed, its formula, and the formula with numbers.
#pragma once

#include <string>

#include "ui/frame/frame.h"
#include "ui/pipeline/layout.h"

namespace headlight {

/// `on_its_way` replaces the numbers of an unfinished stage: "3 of 16 terms".
void draw_caption(const Frame& frame, ImDrawList& list, Stage stage, const std::string& on_its_way, Rect row);

}  // namespace headlight
