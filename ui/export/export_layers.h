// The export dialog's choice of layers: the open one, all layers by heads, or one matrix of all.
#pragma once

#include "core/export/export_options.h"
#include "ui/frame/frame.h"

namespace headlight {

/// Draws nothing for a single layer.
void draw_export_layers(const Frame& frame, ExportOptions& options);

}  // namespace headlight
