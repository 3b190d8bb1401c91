#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "core/base/tensor/memory.h"

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace headlight {
namespace {

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

/// "MemAvailable:   22000000 kB": memory that is free or can be freed.
std::uint64_t free_of_machine() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("MemAvailable:")) return std::strtoull(line.c_str() + 13, nullptr, 10) * 1024;
  }
  return unknown;
}

std::uint64_t number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : unknown;
}

/// Bytes of the container's memory that cache files: the system frees them when they are needed.
std::uint64_t cached_files(const char* path) {
  std::ifstream file(path);
  std::uint64_t bytes = 0, number = 0;
  for (std::string word; file >> word >> number;) {
    if (word == "inactive_file" || word == "active_file") bytes += number;
  }
  return bytes;
}

struct Container {
  const char *most, *taken, *parts;
};
constexpr Container containers[] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
     "/sys/fs/cgroup/memory/memory.stat"},
};

std::uint64_t free_of_container() {
  for (const Container& container : containers) {
    const std::uint64_t most = number_in(container.most), taken = number_in(container.taken);
    if (most == unknown || taken == unknown) continue;
    const std::uint64_t held = taken - std::min(taken, cached_files(container.parts));
    return most - std::min(most, held);
  }
  return unknown;
}

}  // namespace

std::uint64_t available_memory() {
  const std::uint64_t bytes = std::min(free_of_machine(), free_of_container());
  return bytes == unknown ? bytes : bytes / 10 * 9;
}

double machine_memory() {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  static const double all = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (all > 0) return all;
#endif
  return 16e9;
}

}  // namespace headlight
