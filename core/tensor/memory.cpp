#include "core/tensor/memory.h"

#include <cstdlib>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace headlight {

double machine_memory() {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  static const double all = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (all > 0) return all;
#endif
  return 16e9;
}

double memory_budget() {
  if (const char* megabytes = std::getenv("HEADLIGHT_MEMORY")) {
    const double wanted = std::strtod(megabytes, nullptr) * 1e6;
    if (wanted > 0) return wanted;
  }
  return machine_memory() / 4;
}

}  // namespace headlight
