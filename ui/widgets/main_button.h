// The button that a dialog is there for, in the colour of links; the others beside it are chips.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// Pixels that it takes in width; a chip beside it as much.
float button_width(const Frame& frame, const char* label);
bool main_button(const Frame& frame, const char* id, const char* label, bool enabled = true);

}  // namespace headlight
