// The view at a moment of the step player.
#pragma once

#include "ui/document/view.h"
#include "ui/timeline/timeline.h"

namespace headlight {

/// The view at a moment: selects the stage being computed, in the current batch entry and head.
View at_moment(View view, const Trace& trace, const Timeline& timeline, int moment);
/// The view with everything computed, as before the player was used.
View without_moment(View view);

}  // namespace headlight
