#include "core/tensor/memory.h"

#include <cstdlib>

namespace headlight {

double memory_budget() {
  if (const char* megabytes = std::getenv("HEADLIGHT_MEMORY")) {
    const double wanted = std::strtod(megabytes, nullptr) * 1e6;
    if (wanted > 0) return wanted;
  }
  return machine_memory() / 4;
}

}  // namespace headlight
