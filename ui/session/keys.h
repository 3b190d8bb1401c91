// Keyboard shortcuts, which act while no text is typed. Each is listed in ui/panels/help.cpp.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

void press_keys(const Frame& frame);

}  // namespace headlight
