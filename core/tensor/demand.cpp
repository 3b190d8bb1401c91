#include "core/tensor/demand.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#ifdef __linux__
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace headlight {

#if defined(__linux__) && defined(UFFD_API)

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t most_resident = std::size_t{256} << 20;
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

struct Region {
  std::shared_ptr<const DemandSource> source;
  std::size_t bytes = 0, tile = 0, numbers = 0;
};

class Pager {
 public:
  Pager() {
    descriptor_ = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
    if (descriptor_ < 0) return;
    uffdio_api api{};
    api.api = UFFD_API;
    if (ioctl(descriptor_, UFFDIO_API, &api) != 0) {
      close(descriptor_);
      descriptor_ = -1;
      return;
    }
    std::thread([this] { serve(); }).detach();
  }
  bool works() const { return descriptor_ >= 0; }

  float* add(Region region) {
    region.bytes = (region.numbers * sizeof(float) + region.tile - 1) / region.tile * region.tile;
    void* const memory =
        mmap(nullptr, region.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    madvise(memory, region.bytes, MADV_NOHUGEPAGE);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    uffdio_register wanted{};
    wanted.range = {begin, region.bytes};
    wanted.mode = UFFDIO_REGISTER_MODE_MISSING;
    if (ioctl(descriptor_, UFFDIO_REGISTER, &wanted) != 0) {
      munmap(memory, region.bytes);
      return nullptr;
    }
    const std::lock_guard lock(regions_mutex_);
    regions_.emplace(begin, std::move(region));
    return static_cast<float*>(memory);
  }

  void remove(const float* memory) {
    std::shared_ptr<const DemandSource> source;  // destroyed without any lock: it may hold memory on demand itself
    const std::lock_guard serving(serving_mutex_);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    std::size_t bytes = 0;
    {
      const std::lock_guard lock(regions_mutex_);
      const auto found = regions_.find(begin);
      bytes = found->second.bytes;
      source = std::move(found->second.source);
      regions_.erase(found);
    }
    std::erase_if(resident_, [&](const Tile& tile) {
      const bool gone = tile.at >= begin && tile.at < begin + bytes;
      if (gone) bytes_ -= tile.bytes;
      return gone;
    });
    munmap(const_cast<float*>(memory), bytes);
  }

  DemandPlace place(const float* at) {
    const std::shared_lock lock(regions_mutex_);
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    auto found = regions_.upper_bound(address);
    if (found == regions_.begin()) return {};
    --found;
    if (address >= found->first + found->second.bytes) return {};
    return {found->second.source.get(), static_cast<Index>((address - found->first) / sizeof(float))};
  }

 private:
  struct Tile {
    std::uintptr_t at;
    std::size_t bytes;
  };

  void serve() {
    while (true) {
      uffd_msg message;
      if (read(descriptor_, &message, sizeof message) != static_cast<ssize_t>(sizeof message)) continue;
      if (message.event == UFFD_EVENT_PAGEFAULT) put(static_cast<std::uintptr_t>(message.arg.pagefault.address));
    }
  }

  void put(std::uintptr_t address) {
    Region region;  // as in remove()
    const std::lock_guard serving(serving_mutex_);
    std::uintptr_t begin = 0;
    {
      const std::shared_lock lock(regions_mutex_);
      auto found = regions_.upper_bound(address);
      if (found == regions_.begin()) return;
      --found;
      begin = found->first;
      region = found->second;
    }
    if (address >= begin + region.bytes) return;
    const std::size_t first = (address - begin) / region.tile * region.tile;
    numbers_.resize(std::max(numbers_.size(), region.tile / sizeof(float)));
    const std::size_t at = first / sizeof(float), count = std::min(region.tile / sizeof(float), region.numbers - at);
    try {
      region.source->fill(static_cast<Index>(at), static_cast<Index>(count), numbers_.data());
    } catch (...) {
      // Nobody waits for an exception here: what cannot be computed is no number.
      std::fill_n(numbers_.begin(), count, std::numeric_limits<float>::quiet_NaN());
    }
    // Page by page, since those beside may be there already.
    for (std::size_t offset = 0; offset < region.tile; offset += page) {
      uffdio_copy copy{};
      copy.dst = begin + first + offset;
      copy.src = reinterpret_cast<std::uintptr_t>(numbers_.data()) + offset;
      copy.len = page;
      if (ioctl(descriptor_, UFFDIO_COPY, &copy) != 0) {
        uffdio_range range{copy.dst, page};
        ioctl(descriptor_, UFFDIO_WAKE, &range);
      }
    }
    resident_.push_back({begin + first, region.tile});
    bytes_ += region.tile;
    while (bytes_ > most_resident && resident_.size() > 1) {
      madvise(reinterpret_cast<void*>(resident_.front().at), resident_.front().bytes, MADV_DONTNEED);
      bytes_ -= resident_.front().bytes;
      resident_.pop_front();
    }
  }

  int descriptor_ = -1;
  std::mutex serving_mutex_;  // while a tile is made, nothing is unmapped
  std::shared_mutex regions_mutex_;
  std::map<std::uintptr_t, Region> regions_;
  std::deque<Tile> resident_;  // oldest first
  std::size_t bytes_ = 0;
  Buffer numbers_;
};

// Never destroyed: its thread serves to the end.
Pager& pager() {
  static Pager* const the_pager = new Pager;
  return *the_pager;
}

}  // namespace

Tensor demand_tensor(Shape shape, std::shared_ptr<const DemandSource> source, Index tile) {
  if (!pager().works()) return {};
  const std::size_t bytes =
      (static_cast<std::size_t>(std::max<Index>(tile, 1)) * sizeof(float) + page - 1) / page * page;
  float* const memory = pager().add({source, 0, bytes, static_cast<std::size_t>(element_count(shape))});
  if (!memory) return {};
  return Tensor::on_demand(std::move(shape), {memory, [](const float* p) { pager().remove(p); }}, std::move(source));
}

DemandPlace demand_place(const float* at) { return pager().works() ? pager().place(at) : DemandPlace{}; }

#else

Tensor demand_tensor(Shape, std::shared_ptr<const DemandSource>, Index) { return {}; }
DemandPlace demand_place(const float*) { return {}; }

#endif

}  // namespace headlight
