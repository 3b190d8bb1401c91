// The thread pool of the process, used by Workers::run().
#pragma once

#include <functional>

namespace headlight {

/// Calls `work` on the calling thread and on up to `helpers` pool threads; returns when all that took part have
/// finished. A busy helper does not take part, so `work` must be able to finish everything alone. It must not throw.
void work_together(int helpers, const std::function<void(bool caller)>& work);
/// The same on all processors.
void work_together(const std::function<void(bool caller)>& work);

}  // namespace headlight
