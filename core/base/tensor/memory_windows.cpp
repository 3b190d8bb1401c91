#include <cxxabi.h>

#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "core/base/tensor/memory.h"

namespace headlight {
namespace {

/// A thread that ends gives up its keys in the order in which they were made. The key that runs the destructors of its
/// thread_local objects is made here, before any object: else GCC's own key frees their memory first.
[[gnu::constructor(101)]] void destroy_before_freeing() {
  abi::__cxa_thread_atexit([](void*) {}, nullptr, nullptr);
}

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
