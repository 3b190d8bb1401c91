// Counts the allocations of this thread by operator new, which is replaced for the whole test program.
#pragma once

#include <cstddef>

namespace headlight {

std::size_t allocations_of_this_thread();

}  // namespace headlight
