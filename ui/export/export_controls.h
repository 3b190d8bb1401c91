// The left side of the export dialog: the options of `headlight render`, each by the control that fits it.
#pragma once

#include "ui/export/export_preview.h"
#include "ui/frame/frame.h"

namespace headlight {

/// Draws into the current ImGui window; gives the choice as it is after this frame.
ExportChoice draw_export_controls(const Frame& frame, const ExportPreview& preview, ExportChoice choice);

}  // namespace headlight
