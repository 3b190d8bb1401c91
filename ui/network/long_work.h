// The long computations of the network view, on a worker (core/engine/long_task.h). Call in each frame that shows them;
// returns what is computed so far.
#pragma once

#include <memory>

#include "ui/frame/frame.h"
#include "ui/network/network_scene.h"

namespace headlight {

struct NetworkRun;

/// Empty if there is no second sentence.
PatchShown patch_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run);
/// The means of heads over the network's sentences, or over those that the view names; null until they are computed,
/// and where there are none.
std::shared_ptr<const MeanHeads> means_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run);
StudyShown study_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run);

}  // namespace headlight
