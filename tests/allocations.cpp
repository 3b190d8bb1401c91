#include "tests/allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

#ifdef _WIN32
#include <malloc.h>
#endif

namespace {

thread_local std::size_t allocations = 0;

// Windows frees aligned memory by a function of its own.
#ifdef _WIN32
void* from_system(std::size_t size, std::size_t alignment) { return _aligned_malloc(size, alignment); }
void to_system(void* memory) { _aligned_free(memory); }
#else
void* from_system(std::size_t size, std::size_t alignment) { return std::aligned_alloc(alignment, size); }
void to_system(void* memory) { std::free(memory); }
#endif

void* allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;
  if (void* memory = from_system(whole == 0 ? alignment : whole, alignment)) return memory;
  throw std::bad_alloc();
}

constexpr std::size_t usual = alignof(std::max_align_t);

void* allocate_or_null(std::size_t size) noexcept {
  ++allocations;
  return from_system((size / usual + 1) * usual, usual);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, usual); }
void* operator new[](std::size_t size) { return allocate(size, usual); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void operator delete(void* memory) noexcept { to_system(memory); }
void operator delete[](void* memory) noexcept { to_system(memory); }
void operator delete(void* memory, std::size_t) noexcept { to_system(memory); }
void operator delete[](void* memory, std::size_t) noexcept { to_system(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { to_system(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { to_system(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { to_system(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { to_system(memory); }

namespace headlight {

std::size_t allocations_of_this_thread() { return allocations; }

}  // namespace headlight
