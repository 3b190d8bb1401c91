// How much memory a computation may take.
#pragma once

#include <cstddef>

namespace headlight {

/// What the machine has, in bytes.
double machine_memory();
/// What the stages of a run may take before they are computed as they are looked at: a quarter of that, or what the
/// environment's HEADLIGHT_MEMORY says, in megabytes.
double memory_budget();

}  // namespace headlight
