// The process's one pool of threads, which Workers::run() spreads blocks over.
#pragma once

#include <functional>

namespace headlight {

/// Calls `work` on the calling thread and on up to `helpers` others at once; returns when all that took part have. A
/// helper that is not free in time takes no part, so `work` must finish the whole by itself if it has to. `work` throws
/// nothing.
void work_together(int helpers, const std::function<void(bool caller)>& work);
/// The same on all processors.
void work_together(const std::function<void(bool caller)>& work);

}  // namespace headlight
