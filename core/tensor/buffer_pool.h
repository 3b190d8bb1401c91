// Memory for large tensors: not zeroed, in huge pages where the system has them, and kept for the next run.
//
// A pass over [1, 2048, 1024, 16 heads] writes a gigabyte. Asked of the system anew each time, that is a quarter of a
// million page faults and as many pages zeroed, a third of the whole time; a run after a changed setting finds what the
// last but one left instead. What lies here unused is marked so that the system may take it back when it needs memory.
#pragma once

#include <cstddef>

namespace headlight {

/// From this many bytes on, allocate_block() is worth its while.
inline constexpr std::size_t pooled_from = std::size_t{128} << 10;

/// At least `bytes`, on a boundary of 64; what is in it is unspecified. Throws std::bad_alloc.
void* allocate_block(std::size_t bytes);
void release_block(void* block) noexcept;

}  // namespace headlight
