// Memory: how much there is, so that what would not fit is computed as it is read, or refused; and blocks for large
// tensors.
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

// Blocks for large tensors: not zeroed, in huge pages where the system has them, and kept for the next run.
//
// A pass over [1, 2048, 1024, 16 heads] writes a gigabyte. Asked of the system anew each time, that is a quarter of a
// million page faults and as many pages zeroed, a third of the whole time. A run after a changed setting takes the
// blocks of the last run but one instead. Unused blocks are marked so that the system may take them back.

/// From this many bytes on, allocate_block() is worth its while.
inline constexpr std::size_t pooled_from = std::size_t{128} << 10;

/// At least `bytes`, on a boundary of 64; what is in it is unspecified. Throws std::bad_alloc.
void* allocate_block(std::size_t bytes);
void release_block(void* block) noexcept;

}  // namespace headlight
