// Asks for the file to save answers to.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// Opens or closes the question.
void toggle_saving_answers(const Frame& frame);
void draw_saving_answers(const Frame& frame, ImVec2 at, float width);

}  // namespace headlight
