// The stages of a computation as one picture on paper: each a small matrix under its name, a line for the queries, the
// keys, the values, the scores up to the weights, and what is made with those.
#pragma once

#include "core/figure/figure_canvas.h"
#include "core/run/trace.h"

namespace headlight {

/// Draws it from `at` within `width`, of one head; gives its height. In units.
float draw_stage_diagram(PdfCanvas& canvas, Typesetter& typesetter, const Trace& trace, Index head, Point at,
                         float width);

}  // namespace headlight
