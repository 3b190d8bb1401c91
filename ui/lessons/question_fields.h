// A step's question in the lesson's panel: its text, its fields, and whether the answer was right.
#pragma once

#include "ui/lessons/panel_column.h"

namespace headlight {

void draw_question(const Frame& frame, const Question& question, PanelColumn& column);

}  // namespace headlight
