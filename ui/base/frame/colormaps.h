// The colour maps and value ranges that the window uses for each stage.
#pragma once

#include "core/compute/run/trace.h"
#include "core/figures/figure/colormap.h"
#include "ui/base/document/view.h"

namespace headlight {

/// The view's choice where it fits the stage's kind, else the theme's default. Static lifetime.
const Colormap& window_colormap(const View& view, Stage stage);
/// The same for the trace's numbers: gradients have both signs.
const Colormap& window_colormap(const View& view, const Trace& trace, Stage stage);
/// With more keys than this, weights are small and get a logarithmic scale.
inline constexpr Index keys_spread_evenly = 32;
/// The range over all batch entries and heads, so that heads can be compared; 0 to 1 for weights of few keys; from 0 to
/// the largest for contribution_norms. The trace must have a summary.
ValueRange stage_range(const Trace& trace, Stage stage, ColormapKind kind);

}  // namespace headlight
