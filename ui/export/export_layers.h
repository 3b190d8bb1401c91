// The export dialog's choice of layers: the one that is open, all of a network's by heads, or what they give together.
#pragma once

#include "core/export/export_options.h"
#include "ui/frame/frame.h"

namespace headlight {

/// Draws nothing where there is one layer.
void draw_export_layers(const Frame& frame, ExportOptions& options);

}  // namespace headlight
