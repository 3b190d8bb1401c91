// Makes tiles in a program without threads: one step after each frame.
#include "core/base/parallel/jobs.h"
#include "core/compute/engine/tile_store.h"

namespace headlight {

TileStore::TileStore(std::function<void()> wake) : wake_(wake ? std::move(wake) : [] {}) {
  add_job(this, [this] {
    std::unique_lock lock(mutex_);
    return take_step(lock) == Step::made;
  });
}

TileStore::~TileStore() { remove_job(this); }

void TileStore::wait() {
  while (wish_ && !idle_) {
    std::unique_lock lock(mutex_);
    take_step(lock);
  }
}

}  // namespace headlight
