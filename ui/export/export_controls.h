// The left side of the export dialog: a control for each option of `headlight render`.
#pragma once

#include "core/export/export_options.h"
#include "ui/export/export_preview.h"
#include "ui/frame/frame.h"

namespace headlight {

/// Draws into the current ImGui window; returns the changed choice.
ExportChoice draw_export_controls(const Frame& frame, const ExportPreview& preview, ExportChoice choice);

/// Draws nothing for a single layer.
void draw_export_layers(const Frame& frame, ExportOptions& options);

void draw_export_size(const Frame& frame, ExportChoice& choice);

}  // namespace headlight
