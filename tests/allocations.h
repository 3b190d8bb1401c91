// Counts what this thread allocates by operator new, which the whole test program's is replaced for.
#pragma once

#include <cstddef>

namespace headlight {

std::size_t allocations_of_this_thread();

}  // namespace headlight
