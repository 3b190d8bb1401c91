// A step's question in the lesson's panel: what is asked, where it is answered, and once it is, whether that was right.
#pragma once

#include "ui/lessons/panel_column.h"

namespace headlight {

void draw_question(const Frame& frame, const Question& question, PanelColumn& column);

}  // namespace headlight
