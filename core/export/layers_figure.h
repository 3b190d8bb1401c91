// A stage of every layer as one figure: layers as rows, heads as columns, one scale; or what the layers give together.
#pragma once

#include <memory>

#include "core/export/export_options.h"

namespace headlight {

/// The figure that the options ask for: of one layer (core/export/figure_kinds.h), or with ExportOptions::layers of all.
/// The trace must live until it is drawn. Throws SettingError, FileError.
FigureSpec figure_for(const Trace& trace, const ExportOptions& options);

/// For what is of one layer. Throws SettingError where the options take several.
void refuse_layers(const ExportOptions& options);

/// The numbers of the same: [L, H, rows, cols] for all layers, [n, n] of what they give together.
NamedArray layers_array(const Trace& trace, const ExportOptions& options);

}  // namespace headlight
