// Figures of what a network predicts: what it would say after each block (lens), what a word's logit is the sum of
// (why), and how it changes with another text's states (patch). The numbers are those of core/network/logit_parts.h.
#pragma once

#include <string>

#include "core/export/export_options.h"

namespace headlight {

/// lens, why or patch.
bool is_of_prediction(PictureKind kind);
/// Throws SettingError where the network predicts nothing, and for words and texts that do not fit.
FigureSpec prediction_figure(const Trace& trace, const ExportOptions& options);

/// As CSV: of a lens block, position, the word there, the most probable next one, its probability and that of the word
/// that the network ends with; of why layer, what, head, value of each part; of patch patch_array().
std::string prediction_csv(const Trace& trace, const ExportOptions& options);
/// What each patch changes: [layers, positions], or [layers, heads], NaN where a layer has fewer.
NamedArray patch_array(const Trace& trace, const ExportOptions& options);

}  // namespace headlight
