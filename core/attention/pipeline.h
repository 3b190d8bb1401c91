// The pipeline: chains the stages, each a pure function in its own file, into a Trace.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "core/attention/trace.h"

namespace headlight {

struct Run {
  int threads = 0;                                  ///< 0: as many as the machine has
  std::stop_token stop;                             ///< asked between blocks of work; throws Cancelled
  std::function<void(Stage, double share)> progress;  ///< called with the stage under way and the share done, 0…1
};

/// Computes every stage of `scenario`. A stage whose sources and settings are those of `last` is taken from it, so its
/// tensor is the very same. Throws FileError, SettingError, ExpressionError, Cancelled.
std::shared_ptr<const Trace> compute(const Scenario& scenario, const Trace* last = nullptr, const Run& run = {});

}  // namespace headlight
