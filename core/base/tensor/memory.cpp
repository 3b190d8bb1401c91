#include "core/base/tensor/memory.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>

#include "core/base/tensor/error.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

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

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20, page_bytes = std::size_t{64} << 10;
constexpr std::size_t in_huge_pages_from = 2 * huge_page;
constexpr std::size_t offered_from = std::size_t{8} << 20;  // marking a smaller block costs more time than it can save
constexpr std::size_t most_kept = std::size_t{2} << 30;

std::size_t rounded(std::size_t bytes) {
  const std::size_t to = bytes < in_huge_pages_from ? page_bytes : huge_page;
  return (bytes + to - 1) / to * to;
}

#ifdef __linux__

void* from_system(std::size_t bytes) {
  if (bytes < in_huge_pages_from) {
    void* const block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc();
    return block;
  }
  // Maps one huge page more and cuts both ends off, so that the block begins at the boundary of a huge page.
  void* const whole = mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (whole == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(whole);
  const std::size_t before = (huge_page - reinterpret_cast<std::size_t>(begin) % huge_page) % huge_page;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + bytes, huge_page - before);
  madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}
void to_system(void* block, std::size_t bytes) { munmap(block, bytes); }
void offer_to_system(void* block, std::size_t bytes) { madvise(block, bytes, MADV_FREE); }

#else

void* from_system(std::size_t bytes) { return ::operator new (bytes, std::align_val_t{64}); }
void to_system(void* block, std::size_t) { ::operator delete (block, std::align_val_t{64}); }
void offer_to_system(void*, std::size_t) {}

#endif

class Pool {
 public:
  void* take(std::size_t wanted) {
    const std::size_t bytes = rounded(wanted);
    const std::lock_guard lock(mutex_);
    const auto fitting = idle_.lower_bound(bytes);
    if (fitting != idle_.end() && fitting->first <= bytes + bytes / 8) {
      void* const block = fitting->second;
      sizes_.emplace(block, fitting->first);
      kept_ -= fitting->first;
      idle_.erase(fitting);
      return block;
    }
    void* block = nullptr;
    try {
      block = from_system(bytes);
    } catch (const std::bad_alloc&) {
      trim_locked();
      block = from_system(bytes);
    }
    sizes_.emplace(block, bytes);
    return block;
  }

  void give_back(void* block) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(block);
    const std::size_t bytes = found->second;
    sizes_.erase(found);
    if (bytes > most_kept) return to_system(block, bytes);
    // The smallest blocks are freed first: they are the cheapest to allocate again.
    while (kept_ + bytes > most_kept) {
      to_system(idle_.begin()->second, idle_.begin()->first);
      kept_ -= idle_.begin()->first;
      idle_.erase(idle_.begin());
    }
    if (bytes >= offered_from) offer_to_system(block, bytes);
    idle_.emplace(bytes, block);
    kept_ += bytes;
  }

 private:
  void trim_locked() noexcept {
    for (const auto& [bytes, block] : idle_) to_system(block, bytes);
    idle_.clear();
    kept_ = 0;
  }

  std::mutex mutex_;
  std::unordered_map<void*, std::size_t> sizes_;  // sizes of the blocks in use
  std::multimap<std::size_t, void*> idle_;
  std::size_t kept_ = 0;
};

// Never destroyed: a tensor can live longer than all other static objects.
Pool& pool() {
  static Pool* const the_pool = new Pool;
  return *the_pool;
}

}  // namespace

void* allocate_block(std::size_t bytes) { return pool().take(bytes); }
void release_block(void* block) noexcept { pool().give_back(block); }

}  // namespace headlight
