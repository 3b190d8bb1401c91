// The long computations of the network view, off the frame (core/engine/long_task.h): asked for in each frame that
// shows them, as far as they are.
#pragma once

#include <memory>

#include "ui/frame/frame.h"
#include "ui/network/network_scene.h"

namespace headlight {

struct NetworkRun;

/// Nothing where no second sentence is typed.
PatchShown patch_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run);
StudyShown study_shown(const Frame& frame, const std::shared_ptr<const NetworkRun>& run);

}  // namespace headlight
