// The size of an exported figure: by its cells, in pixels, or in units of length with a resolution.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

void draw_export_size(const Frame& frame, ExportChoice& choice);

}  // namespace headlight
