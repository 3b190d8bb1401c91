// The engine with a thread of its own.
#include <utility>

#include "core/engine/engine.h"

namespace headlight {

Engine::Engine(std::function<void()> wake)
    : wake_(wake ? std::move(wake) : [] {}), worker_([this](std::stop_token quit) { work(std::move(quit)); }) {}

Engine::~Engine() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  worker_.request_stop();
  current_.request_stop();
}

std::uint64_t Engine::submit(Scenario scenario, std::shared_ptr<const Trace> against) {
  const std::lock_guard lock(mutex_);
  waiting_ = Job{std::move(scenario), std::move(against)};
  current_.request_stop();
  changed_.notify_all();
  return ++last_ticket_;
}

std::optional<Outcome> Engine::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return settled_ticket_ == last_ticket_; });
  return std::exchange(ready_, std::nullopt);
}

void Engine::work(std::stop_token quit) {
  while (true) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, quit, [this] { return waiting_.has_value(); })) return;
    settle(lock);
    changed_.notify_all();
    lock.unlock();
    wake_();
  }
}

}  // namespace headlight
