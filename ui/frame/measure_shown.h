// What of a head is shown (View::measure): its weights, what each key brings through it, or that as a share.
#pragma once

#include "ui/frame/frame.h"

namespace headlight {

/// The view's measure where the trace has what heads bring, else the weights.
HeadMeasure measure_shown(const Trace& trace, const View& view);
/// Of weights the stage whose numbers the measure takes; any other stage itself.
Stage measured_stage(const Trace& trace, const View& view, Stage stage);
/// The stage's numbers; of contribution_norms their shares where the view shows those.
Tensor numbers_shown(const Frame& frame, Stage stage);
/// Keys of the measures' words, in their order.
inline constexpr const char* measure_keys[] = {"measure.weight", "measure.arrives", "measure.share"};

}  // namespace headlight
