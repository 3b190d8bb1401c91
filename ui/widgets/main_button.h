// The main button of a dialog, in the accent colour; its other buttons are chips.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// Its width in pixels, also that of a chip beside it.
float button_width(const Frame& frame, const char* label);
bool main_button(const Frame& frame, const char* id, const char* label, bool enabled = true);

}  // namespace headlight
