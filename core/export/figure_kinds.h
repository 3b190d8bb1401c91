// The pictures besides a stage's own heatmap: arcs between words, the difference of two heads, and what a mask does.
#pragma once

#include "core/export/stage_figure.h"

namespace headlight {

/// The picture of style.kind. Throws SettingError if the cut has no such picture (no mask, not two heads), and
/// whatever stage_figure() throws.
FigureSpec figure_of(const StageCut& cut, const StageFigureStyle& style);

}  // namespace headlight
