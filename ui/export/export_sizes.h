// How large the exported figure is: as large as its cells make it, in pixels, or in the lengths of paper at a dpi.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

void draw_export_size(const Frame& frame, ExportChoice& choice);

}  // namespace headlight
