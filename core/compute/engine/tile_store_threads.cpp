// Makes tiles on a thread of its own.
#include "core/compute/engine/tile_store.h"

namespace headlight {

TileStore::TileStore(std::function<void()> wake)
    : wake_(wake ? std::move(wake) : [] {}), worker_([this](const std::stop_token& quit) { work(quit); }) {}

TileStore::~TileStore() = default;

void TileStore::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !wish_ || idle_; });
}

void TileStore::work(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  while (!quit.stop_requested()) {
    const std::uint64_t last_wish = wishes_;
    const auto is_new = [&] { return wishes_ != last_wish || !wish_; };
    switch (take_step(lock)) {
      case Step::made: break;
      case Step::rests: changed_.wait_until(lock, quit, wish_->since + rest, is_new); break;
      case Step::nothing:
        changed_.notify_all();
        changed_.wait(lock, quit, [&] { return wishes_ != last_wish; });
        break;
    }
  }
}

}  // namespace headlight
