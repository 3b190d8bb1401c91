// The engine of a program without threads: what is submitted waits for the next turn, and gives the frame its own whenever
// progress is reported.
#include <utility>

#include "core/engine/engine.h"
#include "core/parallel/turns.h"

namespace headlight {

Engine::Engine(std::function<void()> wake) : wake_(wake ? std::move(wake) : [] {}) {
  add_job(this, [this] {
    std::unique_lock lock(mutex_);
    if (!waiting_) return false;
    settle(lock);
    lock.unlock();
    wake_();
    return true;
  });
}

Engine::~Engine() {
  current_.request_stop();
  remove_job(this);
}

std::uint64_t Engine::submit(Scenario scenario, std::shared_ptr<const Trace> against) {
  waiting_ = Job{std::move(scenario), std::move(against)};
  current_.request_stop();
  return ++last_ticket_;
}

std::optional<Outcome> Engine::wait() {
  while (settled_ticket_ != last_ticket_ && do_job()) {
  }
  return std::exchange(ready_, std::nullopt);
}

}  // namespace headlight
