#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "core/base/tensor/memory.h"

namespace headlight {
namespace {

MEMORYSTATUSEX memory_of_machine() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  ::GlobalMemoryStatusEx(&status);
  return status;
}

}  // namespace

std::uint64_t available_memory() { return memory_of_machine().ullAvailPhys / 10 * 9; }

double machine_memory() {
  static const auto all = static_cast<double>(memory_of_machine().ullTotalPhys);
  return all > 0 ? all : 16e9;
}

}  // namespace headlight
