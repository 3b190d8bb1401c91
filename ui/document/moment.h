// The view at a moment of the step player.
#pragma once

#include "ui/document/view.h"
#include "ui/timeline/timeline.h"

namespace headlight {

/// The view at a moment: what is being computed is looked at, in the batch entry and head that were.
View at_moment(View view, const Trace& trace, const Timeline& timeline, int moment);
/// Everything shown, as it was before the player was used.
View without_moment(View view);

}  // namespace headlight
