#include "core/tensor/memory.h"

#include <cstdlib>
#include <string>

#include "core/tensor/error.h"

namespace headlight {

double memory_budget() {
  if (const char* megabytes = std::getenv("HEADLIGHT_MEMORY")) {
    char* end = nullptr;
    const double wanted = std::strtod(megabytes, &end) * 1e6;
    constexpr double most = 1e18;  // the most that byte counts can hold
    if (end == megabytes || *end != '\0' || !(wanted > 0 && wanted < most))
      throw SettingError("HEADLIGHT_MEMORY", Message("\"{0}\" is no number of megabytes", std::string(megabytes)),
                         "expected such as 4096");
    return wanted;
  }
  return machine_memory() / 4;
}

}  // namespace headlight
