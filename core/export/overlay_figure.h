// Where a patch looks, over the picture that it is a patch of: a head's row as cells of the picture's grid.
#pragma once

#include "core/export/export_options.h"

namespace headlight {

/// Throws SettingError where the options ask for what is no row over a picture.
void check_overlay(const Trace& trace, const ExportOptions& options);

/// Makes overlays of `spec`, the same options' heatmaps of queries by keys: each panel's row of options.query, over the
/// picture, which stands before them where they are of one layer. Throws SettingError.
void lay_over_picture(FigureSpec& spec, const Trace& trace, const ExportOptions& options);

/// The numbers of an overlay's panels: [panels, rows, cols] of patches, or [rows, cols] of one.
NamedArray overlay_array(const FigureSpec& spec, const ExportOptions& options);

}  // namespace headlight
