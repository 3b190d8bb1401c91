// What is shown of a head (View::measure): its weights, its contribution norms, or their shares.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// The view's measure if the trace has contribution norms, else the weights.
HeadMeasure measure_shown(const Trace& trace, const View& view);
/// For weights, the stage that the measure reads; any other stage unchanged.
Stage measured_stage(const Trace& trace, const View& view, Stage stage);
/// The stage's numbers; for contribution_norms their shares if the view shows those.
Tensor numbers_shown(const Frame& frame, Stage stage);
/// Keys of the measures' names in the translations.
inline constexpr const char* measure_keys[] = {"measure.weight", "measure.arrives", "measure.share"};

}  // namespace headlight
