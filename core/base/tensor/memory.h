// Memory: its size, to decide whether data is stored, computed when it is read, or refused; and a pool of blocks for
// large tensors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headlight {

/// The memory of the machine, in bytes.
double machine_memory();
/// Maximum size of the stages of a run, in bytes, before they are computed when they are read: a quarter of
/// machine_memory(), or HEADLIGHT_MEMORY (megabytes) if that environment variable is set.
double memory_budget();
/// Bytes that can be allocated now without exhausting the machine's memory; a very large number if this is unknown.
std::uint64_t available_memory();

// Blocks for large tensors: not zeroed, in huge pages if the system has them, and kept for the next run.
//
// A run over [1, 2048, 1024, 16 heads] writes a gigabyte. If the system allocated it anew each time, a third of the
// run's time would go into a quarter of a million page faults and zeroed pages. Instead, a run reuses the blocks of the
// run before the last one. Unused blocks are marked so that the system can reclaim them.

/// Minimum number of bytes for which allocate_block() is faster than the default allocator.
inline constexpr std::size_t pooled_from = std::size_t{128} << 10;

/// At least `bytes`, aligned to 64 bytes, with unspecified contents. Throws std::bad_alloc.
void* allocate_block(std::size_t bytes);
void release_block(void* block) noexcept;

}  // namespace headlight
