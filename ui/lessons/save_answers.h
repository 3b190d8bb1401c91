// Asks for the file to save answers to.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// Opens or closes the question.
void toggle_saving_answers(const Frame& frame);
/// A click on "Save", or Enter in the list where nothing is typed into.
bool save_button(const Frame& frame, const char* id);
void draw_saving_answers(const Frame& frame, ImVec2 at, float width);

}  // namespace headlight
