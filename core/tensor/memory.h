// How much memory there is: what would not fit is computed as it is looked at, or refused before it is taken.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headlight {

/// What the machine has, in bytes.
double machine_memory();
/// What the stages of a run may take before they are computed as they are looked at: a quarter of that, or what the
/// environment's HEADLIGHT_MEMORY says, in megabytes.
double memory_budget();
/// Bytes that may be taken now without driving the machine out of memory; very large where it cannot be told.
std::uint64_t available_memory();

}  // namespace headlight
