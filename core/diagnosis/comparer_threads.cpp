// The comparer with a thread of its own.
#include <utility>

#include "core/diagnosis/comparer.h"

namespace headlight {

Comparer::Comparer(std::function<void()> wake)
    : wake_(wake ? std::move(wake) : [] {}), worker_([this](std::stop_token quit) { work(std::move(quit)); }) {}

Comparer::~Comparer() {
  const std::lock_guard lock(mutex_);
  waiting_.reset();
  worker_.request_stop();
  current_.request_stop();
}

void Comparer::submit(std::shared_ptr<const Trace> trace, OwnSource source) {
  const std::lock_guard lock(mutex_);
  waiting_ = Job{std::move(trace), std::move(source)};
  ready_.reset();
  called_off_ = false;
  current_.request_stop();
  progress_ = {.busy = true, .mistake = {}};
  started_ = Clock::now();
  changed_.notify_all();
}

std::shared_ptr<const Beside> Comparer::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !progress_.busy; });
  return std::exchange(ready_, nullptr);
}

void Comparer::work(std::stop_token quit) {
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
