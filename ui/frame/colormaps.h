// The colour maps and ranges that the window uses for a stage.
#pragma once

#include "core/figure/colormap.h"
#include "core/figure/range.h"
#include "core/run/trace.h"
#include "ui/document/view.h"

namespace headlight {

/// The view's own choice where it fits the stage's kind, else the theme's default. Lives as long as the program.
const Colormap& window_colormap(const View& view, Stage stage);
/// Beyond so many keys weights are small, and their colours spread by magnitude.
inline constexpr Index keys_spread_evenly = 32;
/// Over every batch entry and head of the stage, so that heads compare; weights of few keys over 0 to 1, so that a
/// third is a third in every picture; of contribution_norms from 0 to the largest. The trace is the engine's, with a
/// summary.
ValueRange stage_range(const Trace& trace, Stage stage, ColormapKind kind);

}  // namespace headlight
