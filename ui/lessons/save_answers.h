// Where the answers to lessons are to go: a path to say, and a button.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// Asks for the file, or no longer.
void toggle_saving_answers(const Frame& frame);
void draw_saving_answers(const Frame& frame, ImVec2 at, float width);

}  // namespace headlight
