// The pictures besides a stage's own heatmap: arcs between words, the difference of two heads, and what a mask does.
#pragma once

#include "core/export/export_options.h"
#include "core/export/stage_figure.h"

namespace headlight {

/// The picture of style.kind. Throws SettingError if the cut has no such picture (no mask, not two heads), and
/// whatever stage_figure() throws.
FigureSpec figure_of(const StageCut& cut, const StageFigureStyle& style);

/// Throws SettingError where the options ask for what is no row over a picture.
void check_overlay(const Trace& trace, const ExportOptions& options);

/// Makes overlays of `spec`, the same options' heatmaps of queries by keys: each panel's row of options.query, over the
/// picture, which stands before them where they are of one layer. Throws SettingError.
void lay_over_picture(FigureSpec& spec, const Trace& trace, const ExportOptions& options);

/// The numbers of an overlay's panels: [panels, rows, cols] of patches, or [rows, cols] of one.
NamedArray overlay_array(const FigureSpec& spec, const ExportOptions& options);

}  // namespace headlight
